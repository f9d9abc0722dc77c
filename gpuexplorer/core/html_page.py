"""A page that needs nothing else: no network, no script, no other file."""

from html import escape
from pathlib import Path

import tomllib

from gpuexplorer.core.resources import resource

# The page may show what is in it, and load nothing whatever it says.
_ALLOWED = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def html_page(title: str, sheet: Path, body: str) -> str:
    """In the window's own colours, light and dark; paper is always light. `sheet` is what this
    kind of page adds to page.css; `body` is HTML.
    """
    light, dark = (
        "".join(f"--{name}:{colour};" for name, colour in theme_colours(theme).items())
        for theme in ("light", "dark")
    )
    at_night = f"@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"
    usual = resource("page.css").read_text("utf-8")
    style = f":root{{{light}}}\n{at_night}\n{usual}\n{sheet.read_text('utf-8')}"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_ALLOWED}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n"
        f"<body>\n<main>\n{body}</main>\n</body>\n</html>\n"
    )


def theme_colours(theme: str) -> dict[str, str]:
    """ "light" or "dark", by their names; the cards' as card-0 to card-7."""
    content = tomllib.loads(resource("themes", f"{theme}.toml").read_text("utf-8"))
    cards = {f"card-{at}": each for at, each in enumerate(content["standard"]["cards"])}
    named: dict[str, str] = content["colours"] | content["standard"]["meanings"] | cards
    return {name.replace("_", "-"): colour for name, colour in named.items()}
