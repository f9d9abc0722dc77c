"""The worker's stage, the switches, the Python of the lab."""
