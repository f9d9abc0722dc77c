"""A recording as a page to hand on: what it holds, and what stood out."""
