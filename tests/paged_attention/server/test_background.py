"""A server inside a program: looked at from outside, and the engine given back at the end."""

import pytest
from helpers.api import alive, check_whole, opened, post, served, until

from paged_attention.model import Model
from paged_attention.server import build_engine, serve_in_background
from paged_attention.serving.engine import Engine


def test_the_engine_goes_there_and_back(tiny: Model) -> None:
    engine = build_engine(tiny, num_blocks=64, block_size=4)
    engine.submit([5, 6], 3)
    list(engine.drain())
    with serve_in_background(tiny, engine, model_name="mine") as server:
        assert (server.model, str(server)) == ("mine", server.url)
        assert post(server.url, prompt="a", max_tokens=2, model="mine").status == 200
    engine.submit([5, 6], 3, name="again")
    list(engine.drain())
    assert engine.requests["again"].answer == engine.requests[0].answer
    with serve_in_background(tiny, engine) as server:
        assert post(server.url, prompt="a", max_tokens=2).status == 200


def test_steps_and_questions_between_them(tiny: Model) -> None:
    with served(tiny) as server:
        assert post(server.url, prompt="abc", max_tokens=5, ignore_eos=True).status == 200
        assert [step.tokens for step in server.steps()] == [3, 1, 1, 1, 1]
        with pytest.raises(ZeroDivisionError):
            server.call(lambda engine: 1 // 0).result(60)
        assert alive(server) == 0
        assert not server.call(lambda engine: engine.steps).result(60)
    late = server.call(len)
    with pytest.raises(ValueError, match="stopped"):
        late.result(60)


def test_a_request_of_the_programs_own_runs_beside_the_others(tiny: Model) -> None:
    with served(tiny) as server:

        def submit(engine: Engine) -> None:
            engine.submit([70, 71], 4, name="own")

        server.call(submit).result(60)
        assert post(server.url, prompt="abc").json["choices"][0]["text"] == "abc"
        until(lambda: alive(server) == 0)
        own = server.call(lambda engine: engine.requests["own"].answer).result(60)
        assert own[:2] == [70, 71]
        server.call(lambda engine: engine.forget("own")).result(60)
        check_whole(server)


def test_many_choices_at_once_are_no_slow_reader(tiny: Model) -> None:
    with served(tiny, max_running=64, budget=64) as server:
        many = {"prompt": ["a"] * 32, "n": 2, "max_tokens": 0, "echo": True}
        assert len(post(server.url, **many).json["choices"]) == 64
        assert post(server.url, **many, stream=True).body.count(b'"text": "a"') == 64


def test_an_error_in_the_block_waits_for_nobody(tiny: Model) -> None:
    def failing() -> None:
        with served(tiny) as server, opened(server.url, prompt="a" * 900, max_tokens=900):
            until(lambda: alive(server) == 1)
            raise KeyError

    with pytest.raises(KeyError):
        failing()
