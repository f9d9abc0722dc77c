"""QObjects with signals that several screens share; no widgets."""
