"""The packages for Linux: a `.deb` and a portable `.tar.gz` from the folder that was built."""
