"""Lessons: a Markdown file that leads through the lab, and how far somebody came in it."""
