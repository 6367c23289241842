"""The engine: many requests, one pool, one model. It runs the scheduler's rows and picks tokens."""

import secrets
import time
from collections.abc import Callable, Collection, Hashable, Sequence
from itertools import accumulate
from typing import Unpack

from torch import Tensor

from paged_attention.errors import RequestTooLarge
from paged_attention.logprobs import token_logprobs
from paged_attention.model.decoder import Decoder
from paged_attention.prompts import checked_count
from paged_attention.sampling import GREEDY, sample
from paged_attention.serving.loop import Pick, ServingLoop
from paged_attention.serving.paged_memory import PagedMemory
from paged_attention.serving.ragged import run_ragged
from paged_attention.serving.request import Asked, Request, StopRule, check_stop, checked_prompt
from paged_attention.serving.scheduler import Scheduler, Scheduling
from paged_attention.serving.step import Row, Step


class Engine(ServingLoop):
    """A request ends with a token of ``eos_ids``, by its own ``stop`` rule, or at its length.

    A token drawn at random comes from a generator of the request's own, which preemption does not
    touch: a text depends on neither its neighbours nor on how often it had to give way.
    """

    def __init__(
        self,
        decoder: Decoder,
        memory: PagedMemory,
        *,
        eos_ids: Collection[int] = (),
        clock: Callable[[], float] = time.perf_counter,
        scheduler: type[Scheduler] = Scheduler,
        **scheduling: Unpack[Scheduling],
    ) -> None:
        super().__init__(memory, clock=clock, scheduler=scheduler, **scheduling)
        self.decoder = decoder
        self.eos_ids = frozenset(eos_ids)

    def submit(
        self,
        prompt: Sequence[int],
        max_new_tokens: int,
        *,
        name: Hashable = None,
        arrived: float | None = None,
        ignore_eos: bool = False,
        **asked: Unpack[Asked],
    ) -> Hashable:
        """Queue a request; returns its name, the next free number unless given.

        With ``ignore_eos`` an end-of-text token ends nothing; benchmarks want equal lengths. Sample
        ``i`` draws with the seed of ``sampling`` plus ``i``. Raises, with nothing queued, what
        ``Scheduler.submit`` raises, and for tokens or lengths that the model does not know.
        With ``score_prompt`` the prompt is run whole, whatever the index knows of it.
        """
        tokens = checked_prompt(name, prompt)
        max_new_tokens = checked_count("max_new_tokens", max_new_tokens)
        check_stop(name, asked.get("stop"))
        config = self.decoder.config
        if max(tokens) >= config.vocab_size:
            raise ValueError(
                f"the prompt holds token {max(tokens)}, the model knows 0 to "
                f"{config.vocab_size - 1}: was it encoded with this model's tokenizer?"
            )
        if len(tokens) + max_new_tokens - 1 > config.max_positions:
            raise RequestTooLarge(
                f"the request may reach {len(tokens)} + {max_new_tokens} tokens, the model was "
                f"trained on {config.max_positions} at most (the last new one is not run): shorten "
                "the prompt or ask for fewer"
            )
        if asked.get("score_prompt"):  # what the index had would not be run, and have no logits
            asked["salt"] = secrets.token_hex()
        if not ignore_eos:
            asked["stop"] = self._stop(asked.get("stop"))
        return super().submit(tokens, max_new_tokens, name=name, arrived=arrived, **asked)

    def _stop(self, rule: StopRule | None) -> StopRule | None:
        """The request's own rule and the end-of-text tokens in one."""
        if not self.eos_ids:
            return rule
        return lambda answer: answer[-1] in self.eos_ids or (rule is not None and rule(answer))

    def _run(self, step: Step) -> list[Pick]:
        """Run the rows in one pass and draw a token for each that says one."""
        says = [i for i, row in enumerate(step.rows) if row.says]
        begins = accumulate((len(row.tokens) for row in step.rows), initial=0)
        scored = [
            (row.request, at, begin + at - row.start)
            for row, begin in zip(step.rows, begins, strict=False)
            for at in _unscored(row)
        ]
        logits = run_ragged(
            self.decoder,
            self.memory.cache,
            [row.request.name for row in step.rows],
            [row.tokens for row in step.rows],
            says,
            [place for _, _, place in scored],
        )
        lines = dict(zip(says, logits, strict=False))
        for (request, at, _), line in zip(scored, logits[len(says) :], strict=True):
            self.journal.keep_end(request.prompt_logprobs, at)
            seen = token_logprobs(line, request.prompt[at + 1], request.top_logprobs or 0)
            request.prompt_logprobs.append(seen)
        return [
            self._pick(each, lines[i]) if row.says else Pick(each, None)
            for i, row in enumerate(step.rows)
            for each in self.scheduler.split(row)
        ]

    def _pick(self, row: Row, logits: Tensor) -> Pick:
        """The next token of the row's request by ``logits`` [vocab], and how likely it was."""
        token, top = self._draw(row.request, logits), row.request.top_logprobs
        if token is None or top is None:
            return Pick(row, token)
        return Pick(row, token, token_logprobs(logits, token, top))

    def _draw(self, request: Request, logits: Tensor) -> int | None:
        """The next token of ``request``, or ``None``, with the reason noted, if there is none."""
        sampling = request.sampling or GREEDY
        self.journal.keep_attributes(request, "generator", "error")
        generator = request.generator or sampling.generator()
        self.journal.note(generator.set_state, generator.get_state())
        request.generator = generator
        try:
            return int(sample(logits[None], [sampling], [generator]))
        except ValueError as error:  # logits that are no numbers end their own request only
            request.error = error
            return None


def _unscored(row: Row) -> range:
    """Positions in ``row`` whose logits tell how likely the prompt's next token was."""
    request = row.request
    if not request.score_prompt:
        return range(0)
    return range(len(request.prompt_logprobs), min(row.end, len(request.prompt) - 1))
