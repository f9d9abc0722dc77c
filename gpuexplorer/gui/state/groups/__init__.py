"""Cards of many machines as plain values, wherever they were read."""
