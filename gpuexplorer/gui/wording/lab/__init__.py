"""What is said of the lab: its devices, its lines, what they cost, why they failed."""
