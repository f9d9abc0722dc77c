"""The screen of all machines: their cards at a glance, and which of them are free."""
