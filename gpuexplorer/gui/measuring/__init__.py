"""What the window itself costs: frames, the event loop, processor and memory."""
