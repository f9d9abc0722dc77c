"""What a person sees in the window."""
