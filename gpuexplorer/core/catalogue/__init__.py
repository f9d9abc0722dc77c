"""The catalogue of everything measurable, one file per subject; `core.metrics` joins them."""
