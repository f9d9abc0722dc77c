"""Copies between machines, measured by torch.distributed; nothing here imports it."""
