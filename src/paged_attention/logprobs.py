"""How likely a token was: natural logarithms of the model's own probabilities."""

from torch import Tensor

from paged_attention.serving.request import TokenLogprobs


def token_logprobs(logits: Tensor, token: int, top: int) -> TokenLogprobs:
    """``token`` under ``logits`` [vocab], and the ``top`` likeliest tokens, the likeliest first.

    Before temperature, top-k and top-p: what the model thought, not what it was drawn from.
    """
    logs = logits.float().log_softmax(dim=-1)
    best = logs.topk(min(top, len(logs)))
    likeliest = zip(best.indices.tolist(), best.values.tolist(), strict=True)
    return TokenLogprobs(token, float(logs[token]), list(likeliest))
