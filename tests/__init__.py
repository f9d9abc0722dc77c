"""Tests of GPU Explorer, and the stand-ins they run against."""
