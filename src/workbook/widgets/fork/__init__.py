"""What does a fork cost, and when? Holders of one prompt, and their first writes."""
