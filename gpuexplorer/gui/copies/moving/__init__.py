"""The page of the copies that the lab's lines made."""
