"""Where is one token for the manager, and where for the kernel? A block seen as pages."""
