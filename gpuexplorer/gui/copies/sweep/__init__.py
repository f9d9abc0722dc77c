"""Rate over size, and how long a copy will take."""
