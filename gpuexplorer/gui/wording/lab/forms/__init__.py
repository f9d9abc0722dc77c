"""What a form makes of its fields: the line that will run, and what is to be said before."""
