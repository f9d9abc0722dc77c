"""Several lines at once, as they are pasted out of a notebook, a book or a console."""

import ast

_PROMPTS = (">>> ", "... ", ">>>", "...")
# What the lab has already; a script begins with it.
_ALREADY = frozenset(
    {
        "import torch",
        "from torch import nn",
        "import torch.nn as nn",
        "from torch.nn import functional as F",
        "import torch.nn.functional as F",
    }
)


def pasted_lines(text: str) -> list[str]:
    """Each a statement, with brackets over several lines kept together where that can be told;
    prompts, comments and imports of what is there already are left out.
    """
    bare = "\n".join(_without_prompt(line) for line in text.splitlines())
    try:
        body = ast.parse(bare).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        found = [line.strip() for line in bare.splitlines() if line.strip()]
        found = [line for line in found if not line.startswith("#")]
    else:
        found = [ast.get_source_segment(bare, each) or "" for each in body]
    return [line for line in found if line and line not in _ALREADY]


def _without_prompt(line: str) -> str:
    for prompt in _PROMPTS:
        if line.startswith(prompt):
            return line.removeprefix(prompt)
    return line
