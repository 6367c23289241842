"""What do small and large blocks cost? Waste, table entries and tokens run by size."""
