"""What a person sees of plots, does with them, and takes away from them."""
