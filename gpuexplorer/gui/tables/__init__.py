"""Tables: one model, one view and one way to draw a cell, for all screens."""
