"""How many of something, in words."""


def counted(number: int, of_one: str) -> str:
    """Thousands stand apart: 10 000 elements."""
    digits = f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")
    return f"{digits} {of_one}" if number == 1 else f"{digits} {of_one}s"
