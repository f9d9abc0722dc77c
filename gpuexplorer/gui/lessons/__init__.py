"""Lessons in the window: the shelf, the column beside the lab, and a step with its parts."""
