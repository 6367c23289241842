"""Two hundred clients at once: nobody's answer is another's, and nothing is left behind."""

import asyncio
import json
import random
from typing import Any

from helpers.api import check_whole, number, served

from paged_attention.model import Model
from paged_attention.server.background import BackgroundServer

CLIENTS = 200


async def client(server: BackgroundServer, nth: int, draw: random.Random) -> str:
    """One client of a random kind; how it ended."""
    host, port = server.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    kind = draw.choice(["stream", "stream", "whole", "leaves", "leaves early", "malformed", "slow"])
    said = f"I am {nth}{'!' * draw.randrange(9)}"
    body: dict[str, Any] = {"prompt": said, "max_tokens": 60, "temperature": 0}
    body["stream"] = kind not in ("whole", "leaves early")
    raw = json.dumps(body).encode()
    if kind == "malformed":
        raw = raw[: draw.randrange(len(raw))]
    head = f"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(raw)}\r\n"
    writer.write(head.encode() + b"Connection: close\r\n\r\n" + raw)
    await writer.drain()
    try:
        if kind == "leaves early":
            return kind
        if kind == "leaves":
            await reader.read(draw.randrange(1, 600))
            return kind
        if kind == "slow":
            await asyncio.sleep(0.3)
        heard = (await reader.read()).decode()
    finally:
        writer.close()
    content = heard.split("\r\n\r\n", 1)[1]
    if kind == "malformed":
        assert heard.startswith("HTTP/1.1 400")
        return kind
    assert heard.startswith("HTTP/1.1 200"), heard
    if kind == "whole":
        found = json.loads(content)["choices"][0]["text"]
    else:
        pieces = [
            line.removeprefix("data: ") for line in content.split("\r\n") if line[:6] == "data: "
        ]
        assert pieces[-1].strip() == "[DONE]"
        found = "".join(json.loads(piece)["choices"][0]["text"] for piece in pieces[:-1])
    assert found == said, kind
    return kind


async def all_at_once(server: BackgroundServer) -> list[str]:
    draw = random.Random(3)
    return await asyncio.gather(
        *(client(server, nth, random.Random(draw.random())) for nth in range(CLIENTS))
    )


def test_two_hundred_clients_at_once(tiny: Model) -> None:
    with served(tiny, num_blocks=64, max_running=24, spare=0) as server:
        ended = asyncio.run(all_at_once(server))
        check_whole(server)
        assert number(server, "vllm:num_preemptions_total") > 0
        told = ended.count("stream") + ended.count("whole") + ended.count("slow")
        ends = {
            reason: number(server, "vllm:request_success_total", finished_reason=reason)
            for reason in ("stop", "length", "abort", "error")
        }
        assert told <= ends["stop"]
        assert ends["error"] == ends["length"] == 0
        assert sum(ends.values()) <= CLIENTS - ended.count("malformed")
