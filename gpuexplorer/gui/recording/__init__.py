"""What one sees and clicks of recordings."""
