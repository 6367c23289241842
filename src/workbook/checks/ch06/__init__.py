"""Chapter 06: who runs, who waits, who gives back."""
