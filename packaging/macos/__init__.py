"""What macOS wants around the program: an icon, the settings of the bundle, a disk image."""
