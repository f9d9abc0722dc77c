"""Asking cards how they are: backends answer, the sampler asks, the history remembers."""
