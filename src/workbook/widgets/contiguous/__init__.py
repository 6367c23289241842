"""Why do D and E wait? The same requests in one pool, reserved in runs and in blocks."""
