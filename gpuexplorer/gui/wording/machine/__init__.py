"""What is said of the wiring: things, wires, and what goes over them now."""
