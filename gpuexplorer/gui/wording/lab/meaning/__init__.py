"""What PyTorch's errors mean here, in plain words."""
