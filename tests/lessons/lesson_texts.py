"""Lessons for tests: a sound one, and the same with something else in its step."""

HEAD = """# A title

```lesson
minutes: 10
needs: none
```
"""


def with_step(text: str) -> str:
    """The step's text begins in line 9."""
    return f"{HEAD}\n## A step\n{text}\n"


def block(word: str, *lines: str) -> str:
    """In a lesson's step, its fence is line 9."""
    return with_step("\n".join([f"```{word}", *lines, "```"]))
