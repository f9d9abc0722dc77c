"""Colours, letters and geometry: what painting needs, and no widgets."""
