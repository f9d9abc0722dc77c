"""One file or folder per vendor. `telemetry.sources` says in which order they are tried."""
