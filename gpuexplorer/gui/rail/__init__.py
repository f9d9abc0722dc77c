"""The column at the left: the screens, the devices, the Python of the lab."""
