"""The lab as screens see it; no widgets."""
