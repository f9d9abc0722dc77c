"""What is seen beside copies: told times and places by either engine, and knows no PyTorch."""
