"""One model and one server for all tests that leave them as they were."""

from collections.abc import Callable, Iterator

import pytest
import torch
from helpers.api import served

from paged_attention.model import Model, tiny_model
from paged_attention.server.background import BackgroundServer


@pytest.fixture(scope="session")
def tiny() -> Model:
    torch.set_num_threads(1)
    return tiny_model()


@pytest.fixture(scope="session")
def server(tiny: Model) -> Iterator[BackgroundServer]:
    with served(tiny) as running:
        yield running


@pytest.fixture(scope="session")
def encode(tiny: Model) -> Callable[[str], list[int]]:
    return tiny.tokenizer.encode


@pytest.fixture(scope="session")
def url(server: BackgroundServer) -> str:
    return server.url
