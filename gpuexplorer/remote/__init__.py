"""Another machine, reached by the system's ssh and read by parts of ours that run there."""
