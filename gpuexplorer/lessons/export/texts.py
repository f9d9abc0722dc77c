"""The texts of a lesson for a saved file: as HTML, or as Markdown with its pictures inside."""

import base64
from collections.abc import Sequence
from html import escape
from pathlib import Path
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

from gpuexplorer.core.words import tr

_MIMES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".svg": "image/svg+xml",
}
_WEB = ("http://", "https://", "mailto:")


class Texts:
    """Of the lesson in that folder. What lies elsewhere is not read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        extras = ["table", "strikethrough"]
        self._markdown = MarkdownIt("commonmark", {"html": False}).enable(extras)

    def html(self, markdown: str, *, inline: bool = False) -> str:
        """`inline`: a part of a sentence, such as a question."""
        parse = self._markdown.parseInline if inline else self._markdown.parse
        tokens = parse(markdown)
        for token in tokens:
            self._settle(token.children or ())
        return str(self._markdown.renderer.render(tokens, self._markdown.options, {}))

    def markdown(self, markdown: str) -> str:
        """For Jupyter, which would take HTML for HTML."""
        with_html = MarkdownIt("commonmark").enable(["table", "strikethrough"])
        for token in with_html.parse(markdown):
            for each in (token, *(token.children or ())):
                if each.type in ("html_block", "html_inline"):
                    markdown = markdown.replace(each.content, each.content.replace("<", "&lt;"))
                elif each.type == "image":
                    source = str(each.attrs["src"])
                    picture = self._picture(source)
                    for written in (source, unquote(source)) if picture else ():
                        markdown = markdown.replace(f"]({written}", f"]({picture}")
        return markdown

    def _settle(self, tokens: Sequence[Token]) -> None:
        """Pictures are put inside; a link to what lies beside the lesson is only words."""
        inside = False
        for token in tokens:
            if token.type == "image":
                picture = self._picture(str(token.attrs["src"]))
                token.attrs["src"] = picture
                if not picture:
                    missing = tr("A picture is missing here: {what}", what=token.content)
                    token.type, token.content = "html_inline", f"<em>{escape(missing)}</em>"
            if token.type == "link_open":
                inside = not str(token.attrs["href"]).startswith(_WEB)
            if inside and token.type in ("link_open", "link_close"):
                token.tag, token.attrs = "span", {}
            if token.type == "link_close":
                inside = False

    def _picture(self, source: str) -> str:
        """As a `data:` address; empty where there is none beside the lesson."""
        path = (self._folder / unquote(source)).resolve()
        mime = _MIMES.get(path.suffix.lower())
        if mime is None or self._folder not in path.parents:
            return ""
        try:
            content = path.read_bytes()
        except OSError:
            return ""
        return f"data:{mime};base64,{base64.b64encode(content).decode()}"
