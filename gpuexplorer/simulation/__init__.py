"""Make-believe hardware: pure functions of time, standard library only."""
