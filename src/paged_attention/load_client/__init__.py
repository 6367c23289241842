"""A load generator for any server of the OpenAI protocol: ours, vLLM, SGLang, llama.cpp …

The way through: a ``plan`` of requests with the times when they are due, the ``target`` they go to,
``run`` which sends each when it is due, ``stream`` and ``answer`` which read what comes back,
``report`` and ``plot`` which say what was measured. ``command`` is all of it on a command line.
"""
