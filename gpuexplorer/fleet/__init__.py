"""Very many machines, as a Prometheus server keeps what their exporters told."""
