"""Devices side by side, with what lies on them."""
