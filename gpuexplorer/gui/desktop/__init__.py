"""What the desktop around the window is told and asked, always without waiting for it."""
