"""Plots over the shared stretch of time: what they show, and the widgets that draw it."""
