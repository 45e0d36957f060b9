"""Case files: TOML on top of a base file, with keys set from the command line; errors name the file and the key."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from pardem.case import Case
from pardem.case.law_keys import FORMS, LAW_KEYS
from pardem.case.sentences import DEEPEST, item_key, shown, too_deep
from pardem.errors import CaseError
from pardem.suggestions import nearest

ALTERNATIVES = (
    ("frame_interval", "frame_steps", "frame_taps"),
    ("observable_interval", "observable_steps", "observable_taps"),
    ("checkpoint_interval", "checkpoint_steps"),
    ("amplitude", "gamma"),
    ("time", "steps"),
    ("vertices", "circumradius", "edge"),
    ("area", "span"),
)
"""Keys of one table of which only one may be given: setting one removes the others that a base file gave."""
MOST_BITS = 10_000
LONGEST = 200
"""Characters of a setting that a sentence repeats."""


def read_case(path: str | Path, settings: Sequence[str] = (), user_code: bool = True) -> Case:
    """Read a case file.

    Args:
        path: the TOML file. Its key ``base`` names another file, relative to it, that is read first: tables are merged key by key, lists of tables by
            name, and everything else is replaced. A key removes those keys of the base file that exclude it (`ALTERNATIVES`, or the other forms of a
            contact law).
        settings: changes to the case, each as ``key=value``. The dotted key refers to entries of lists by name or number; the value is written in
            TOML, and a bare word is a string.
        user_code: whether the case may use a contact law of its own (``contact.user_law``), whose code then runs with the rights of the user.

    Returns:
        The validated case, whose relative paths refer to the folder of the file.

    Raises:
        CaseError: the file is missing, is not TOML, or is not a valid case. Each line of the message is a sentence that begins with the name of the
            file.
    """
    path = Path(path)
    data = read_tables(path)
    if "case" in data and "stage" not in data:
        raise CaseError(f"{path}: is a study, whose runs are variants of a case: `pardem campaign run {path}` carries them out")
    for setting in settings:
        _set(data, setting)
    if not user_code:
        without_user_code(data, path)
    try:
        return Case(**data).located(path.parent)
    except CaseError as error:
        raise CaseError("\n".join(f"{path}: {line}" for line in str(error).splitlines())) from None


def without_user_code(data: Mapping[str, Any], path: Path) -> None:
    """Refuse the tables of a case that comes with code.

    Args:
        data: the tables.
        path: file that the message names.

    Raises:
        CaseError: they have a contact law of their own.
    """
    if (law := user_law_of(data)) is not None:
        raise CaseError(f"{path}: contact.user_law = {shown(law)} is code that comes with the case, which --no-user-code forbids to run")


def user_law_of(data: Mapping[str, Any]) -> Any:
    """The contact law of its own that the tables of a case name, or None.

    Args:
        data: the tables.
    """
    contact = data.get("contact")
    return contact.get("user_law") if isinstance(contact, dict) else None


def read_tables(path: Path) -> dict[str, Any]:
    """Read the tables of a case file, with its base files merged in, unchecked.

    Args:
        path: the TOML file.

    Raises:
        CaseError: the file or one of its bases is missing, or is not TOML.
    """
    return _load(path, ())


def put_key(data: dict[str, Any], key: str, value: Any, where: str) -> None:
    """Put a value into the tables of a case; keys that it excludes go.

    Args:
        data: the tables; changed.
        key: dotted key, in which entries of lists are addressed by name or number.
        value: value as TOML gives it.
        where: beginning of messages.

    Raises:
        CaseError: there is no such place.
    """
    parts = [part.strip() for part in key.split(".")]
    if not all(parts):
        raise CaseError(f"{where}: must be a dotted key, for instance contact.friction")
    if len(parts) > DEEPEST:
        raise CaseError(f"{where}: the key has {len(parts)} parts; no key of a case has more than {DEEPEST}")
    at: Any = data
    for depth, part in enumerate(parts[:-1]):
        if isinstance(at, dict) and part not in at:
            at[part] = {}
        at = at[_index(at, part, where, ".".join(parts[: depth + 1]))]
        if not isinstance(at, dict | list):
            raise CaseError(f"{where}: {'.'.join(parts[: depth + 1])} = {shown(at)} is no table")
    at[parts[-1] if isinstance(at, dict) else _index(at, parts[-1], where, key)] = value
    if isinstance(at, dict):
        _remove_alternatives(at, parts[-1], parts[-1:])
    if parts[0] == "contact" and len(parts) == 2:
        _keep_one_form(at, {parts[1]})


def _load(path: Path, above: tuple[Path, ...]) -> dict[str, Any]:
    """The file's table with its bases merged in."""
    if "\0" in str(path):
        reason = f" (base of {above[-1]})" if above else ""
        raise CaseError(f"{str(path)!r}: is no name of a case file{reason}: it holds a NUL character")
    if path.resolve() in above:
        raise CaseError(f"{path}: base leads back to this file ({' -> '.join(p.name for p in (*above, path))})")
    try:
        text = path.read_bytes().decode()
    except FileNotFoundError:
        reason = f" (base of {above[-1]})" if above else ""
        others = sorted(p.name for p in path.parent.glob("*.toml"))
        raise CaseError(f"{path}: no such case file{reason}{nearest(path.name, others)}") from None
    except OSError as error:
        raise CaseError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise CaseError(f"{path}: is no text in UTF-8 (byte {error.start}): a case is a TOML file") from None
    try:
        data = _toml(text, str(path))
    except tomllib.TOMLDecodeError as error:
        raise CaseError(f"{path}: is no valid TOML: {error}") from None
    if "base" not in data:
        return data
    base = data.pop("base")
    if not isinstance(base, str):
        raise CaseError(f"{path}: base = {shown(base)} must be the name of a case file in quotes")
    return merge(_load(path.parent / base, (*above, path.resolve())), data)


def _toml(text: str, where: str) -> dict[str, Any]:
    """The tables of a text.

    Raises:
        tomllib.TOMLDecodeError: it is no TOML.
        CaseError: it is nested too deep or holds too long a number; the sentence begins with ``where``.
    """
    data: dict[str, Any] | None
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        data = None
    except ValueError:  # Python's own limit
        raise CaseError(f"{where}: holds a whole number of thousands of digits; give one that has a use") from None
    if data is None or too_deep(data):
        raise CaseError(f"{where}: tables and lists lie in each other over more than {DEEPEST} levels; no key of a case needs as many")
    if _endless(data):
        raise CaseError(f"{where}: holds a whole number of thousands of digits; give one that has a use")
    return data


def _endless(value: Any) -> bool:
    """Whether there is a whole number in tables and lists that Python would not write, as hexadecimal ones can be."""
    if isinstance(value, dict | list):
        return any(map(_endless, value.values() if isinstance(value, dict) else value))
    return isinstance(value, int) and value.bit_length() > MOST_BITS


def merge(base: dict[str, Any], top: dict[str, Any]) -> dict[str, Any]:
    """Lay one table over another: tables merge key by key, lists of tables with names by name (new names follow), the rest is replaced."""
    out = dict(base)
    for key, value in top.items():
        below = base.get(key)
        if isinstance(below, dict) and isinstance(value, dict):
            # another kind of shape, wall or motion does not inherit the keys of the kind it replaces
            replaced = any(tag in below and tag in value and below[tag] != value[tag] for tag in ("kind", "shape"))
            out[key] = value if replaced else merge(below, value)
        elif isinstance(below, list) and isinstance(value, list) and _named(below) and _named(value):
            out[key] = _merge_lists(below, value)
        else:
            out[key] = value
    for key in top:
        _remove_alternatives(out, key, top)
    if isinstance(top.get("contact"), dict):
        _keep_one_form(out["contact"], set(top["contact"]))
    return out


def _remove_alternatives(table: dict[str, Any], key: str, keep: Collection[str]) -> None:
    for other in next((group for group in ALTERNATIVES if key in group), ()):
        if other not in keep:
            table.pop(other, None)


def _keep_one_form(contact: dict[str, Any], new: set[str]) -> None:
    """Remove the law parameters from below that do not go with new ones, once these are complete for a form of the law."""
    forms = FORMS.get(str(contact.get("law", "viscoelastic")), ())
    given = contact.keys() & set(LAW_KEYS)
    if any(form.knows(given) for form in forms):
        return
    for form in forms:
        if form.knows(new & set(LAW_KEYS)) and set(form.needed) <= given:
            for key in given - {*form.needed, *form.optional}:
                del contact[key]
            return


def _named(items: list[Any]) -> bool:
    return bool(items) and all(item_key(item) is not None for item in items)


def _merge_lists(below: list[Any], top: list[Any]) -> list[Any]:
    out = {str(item_key(item)): item for item in below}
    for item in top:
        key = str(item_key(item))
        out[key] = merge({"": out[key]}, {"": item})[""] if key in out else item
    return list(out.values())


def _set(data: dict[str, Any], setting: str) -> None:
    """Put one ``key=value`` into the table."""
    key, equals, text = setting.partition("=")
    where = f"--set {setting if len(setting) <= LONGEST else setting[:LONGEST] + '...'}"
    if not equals or not all(part.strip() for part in key.split(".")):
        raise CaseError(f"{where}: must read key=value, for instance contact.friction=0.3")
    put_key(data, key, _parse(where, text.strip()), where)


def _index(at: Any, part: str, where: str, key: str) -> Any:
    """The key or list position that a part of a dotted key stands for."""
    if isinstance(at, dict):
        return part
    names = [item_key(item) for item in at]
    if part in names:
        return names.index(part)
    if part.isascii() and part.isdigit() and len(part) < 10 and int(part) < len(at):
        return int(part)
    known = [name for name in names if name]
    entries = ", ".join(known) if known else f"0 to {len(at) - 1}"
    raise CaseError(f"{where}: there is no {key}; entries are {entries}{nearest(part, known)}")


def _parse(where: str, text: str) -> Any:
    """The value as TOML; a bare word counts as text, so that a shell's quotes need not be doubled."""
    try:
        return _toml(f"value = {text}", where)["value"]
    except tomllib.TOMLDecodeError as error:
        if text and not set(text) & set("\"'[]{}=,\n"):
            return text
        raise CaseError(f"{where}: the value is no valid TOML: {error}") from None
