"""Tables: the one style of the program, and the list of facts."""
