"""Undoing: the lines that take back the creating or deleting of a name."""

import ast
from collections.abc import Sequence

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab.recipes import Recipes, Step


def taking_back(
    codes: "Sequence[str]", steps: "Sequence[Step]", number: int, first_line: str
) -> "list[str]":
    """Of the step with this number, among all that were done. What is still there is used."""
    effects = steps[number].effects
    before, now = Recipes(steps[:number]), Recipes(steps)
    names = sorted(effects.makes | effects.deletes)
    had = [name for name in names if name in before.current]
    if not had:
        return [f"del {', '.join(names)}"]
    chosen = sorted({each for name in had for each in before.of(name)})
    there = {
        name: made_by
        for name, made_by in now.current.items()
        if made_by in chosen and name not in had
    }
    anew = [each for each in chosen if not steps[each].effects.makes & there.keys()]
    anew = [each for each in anew if not _only_touches(steps[each], there)]
    for name, made_by in now.current.items():
        _refuse_what_changed(name, made_by, there, anew, steps, now, had[0])
    drawing = any(steps[each].drew for each in anew)
    lines = [first_line] if drawing and before.needs_first_seed(chosen) else []
    for each in chosen:
        if each in anew:
            lines.append(codes[each])
        elif drawing and steps[each].drew:
            lines.append(_without_name(codes[each]))
    return lines


def _only_touches(step: Step, there: "dict[str, int]") -> bool:
    """It changed what is still there, and there it has been done."""
    touched = step.effects.touched(step.models)
    return bool(touched) and not step.effects.makes and touched <= there.keys()


def _refuse_what_changed(
    name: str,
    made_by: int,
    there: "dict[str, int]",
    anew: "Sequence[int]",
    steps: "Sequence[Step]",
    now: Recipes,
    lost: str,
) -> None:
    users = [each for each in anew if name in steps[each].effects.uses]
    makers = [each for each in anew if name in steps[each].effects.makes]
    changed_since = name in there and any(
        each > min(users) for each in now.touching(name, made_by) if users
    )
    if changed_since or (makers and name != lost):
        raise Trouble(
            "{lost} cannot be brought back: {name}, of which it was made, has become "
            "something else.",
            "Run again the line that made {name}, then the one that made {lost}.",
            lost=lost,
            name=name,
        )


def _without_name(code: str) -> str:
    """For the random numbers it draws: they come in their turn, and the name stays."""
    tree = ast.parse(code).body[0]
    return ast.unparse(tree.value) if isinstance(tree, ast.Assign) else code
