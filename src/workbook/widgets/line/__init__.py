"""Picture: the queue, the line across it, and what each request has to run."""
