"""What the screen of the copies knows."""
