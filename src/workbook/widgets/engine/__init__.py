"""Picture: one trace of a whole engine as queue, pool and index, with one step control."""
