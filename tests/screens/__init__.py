"""The program as a person meets it: what the screens say, and what keys and mouse do."""
