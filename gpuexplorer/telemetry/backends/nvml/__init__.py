"""NVIDIA's cards, through the driver's own library. The only home of pynvml."""
