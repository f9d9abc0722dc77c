"""What Windows wants around the program: an icon, a version to show, an installer, a zip."""
