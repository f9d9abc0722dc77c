"""A stand-in for NVIDIA's library: it exports NVML's names and answers what a test wants."""
