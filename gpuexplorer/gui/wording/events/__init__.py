"""What is said of what took place, and of alerts."""
