"""What the window knows of lessons: the shelf, and the one that is played in the lab."""
