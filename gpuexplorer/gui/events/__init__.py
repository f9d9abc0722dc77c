"""The screen of what took place and when."""
