"""Tooltips with words that are not ours."""

from html import escape

from PySide6.QtGui import Qt as GuiQt


def plain_tip(text: str) -> str:
    """For a tooltip: what somebody else named is never taken for markup."""
    shown = escape(text).replace("\n", "<br>")
    return f"<qt>{shown}</qt>" if GuiQt.mightBeRichText(text) else text
