"""What stands above, below and over a screen."""
