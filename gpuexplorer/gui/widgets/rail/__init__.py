"""The rail at the left: the screens, and every device with how busy it is."""
