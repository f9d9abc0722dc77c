"""What one may ask of PyTorch, and what it answers: words that window and worker share.

Standard library only, and nothing newer than Python 3.10: the worker may be an older Python.
"""
