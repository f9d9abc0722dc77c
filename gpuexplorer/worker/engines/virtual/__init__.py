"""PyTorch on cards that do not exist: real values and errors, modelled memory and times."""
