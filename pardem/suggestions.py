"""Names that refer to nothing, as sentences with the valid name that resembles them."""

from __future__ import annotations

import difflib

CLOSE = 0.65
"""Similarity, from 0 to 1, from which on a valid word is suggested for a wrong one."""


def nearest(word: str, words: list[str], cutoff: float = CLOSE) -> str:
    """Suggest a valid word for a wrong one.

    Args:
        word: the wrong word.
        words: the valid words.
        cutoff: least similarity of the two, from 0 to 1.

    Returns:
        A clause with the most similar word; empty if none is similar.
    """
    found = difflib.get_close_matches(word[:100], words, 1, cutoff)
    return f"; did you mean '{found[0]}'?" if found else ""


def unknown(key: str, name: str, known: list[str], what: str) -> str:
    """Describe a name that refers to nothing.

    Args:
        key: dotted key that holds the name.
        name: the name.
        known: names that exist.
        what: kind of thing that they name.

    Returns:
        The sentence.
    """
    return f"{key} = '{name}' is not a {what} of this case ({', '.join(known) or 'there is none'}){nearest(name, known)}"
