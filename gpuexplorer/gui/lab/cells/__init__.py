"""The cells of the session as they are read: what each printed, what it cost, why it failed."""
