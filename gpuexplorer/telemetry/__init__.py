"""Asking cards how they are: backends that answer, the sampler that asks, what is remembered."""
