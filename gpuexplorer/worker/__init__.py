"""The other process: PyTorch, a shelf of what was made with it, and a pipe of JSON lines.

Needs Python 3.10 or newer and torch, and of ours nothing but core.trouble and lab.
"""
