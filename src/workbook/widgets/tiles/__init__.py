"""What does a prefill program read? New tokens by keys, cut into tiles that run one by one."""
