"""Tests in a real window, on an X server that nobody sees."""
