"""What is in a result, a segment or a checkpoint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from pardem.version import program

from ..analysis.result import Result
from ..layout import LayoutError, array
from ..reading import KINDS, PARAMETERS, get_json, get_table, kind_of, opened, understood
from ..state.losses import get_losses

MOST_SPECIES = 50  # whose numbers are listed


def info(path: Path | str) -> dict[str, Any]:
    """Summarise a file in values that JSON can represent.

    Args:
        path: result, segment or checkpoint.

    Returns:
        ``file``, ``kind`` (result, segment, checkpoint), ``bytes``, ``finished``, ``case_hash``, ``grains``, ``species`` (number of grains of each),
        ``frames`` (count, first and last step and time, fields, precision), ``contacts`` (of all frames and of the last, fields), ``observables``
        (rows, names), ``left`` (number of grains that have left the domain), ``arrived`` (of poured ones),
        ``state`` (step, contacts), ``losses`` (one sentence each) and ``provenance``. Entries that do not apply are omitted.

    Raises:
        FileError: the file or its parts are missing, truncated or damaged, or were not written by pardem.
    """
    path = Path(path)
    with opened(path) as file:
        kind = kind_of(file)
        found: dict[str, Any] = {"file": str(path), "kind": kind, "format": int(file.attrs["pardem_format"]), "bytes": path.stat().st_size}
        state = file.get(KINDS[kind])
        if state is not None and "checksums" in state:
            header = get_table(state, "header")
            names = [n for n in get_table(state, "checksums") if n.startswith("grains/")]
            found.setdefault("case_hash", header.get("case_hash"))
            found.setdefault("grains", len(array(state, names[0], "iuf")) if names else 0)
            found["state"] = {"step": header.get("step"), "contacts": len(array(state, "contacts/lower", "iu"))}
            if "outflow" in header:
                found["left"] = header["outflow"]["grains"]
            if "inflow" in header:
                found["arrived"] = sum(header["inflow"]["arrived"])
        if losses := get_losses(file):
            found["losses"] = [str(loss) for loss in losses]
        where = f"{PARAMETERS}/provenance" if kind == "result" else "provenance"
        if where in file:
            found["provenance"] = _checked(get_json(file, where))
    if kind == "checkpoint":
        return found
    with Result(path) as result, understood(path):
        return found | (_result(result) if kind == "result" else {}) | _rows(result)


def _checked(origin: Any) -> Any:
    """The provenance, an entry or a list of them, each with what is shown of it."""
    for entry in origin if isinstance(origin, list) else [origin]:
        if not (isinstance(entry, dict) and {"started", "versions", "host", "ranks"} <= entry.keys() and isinstance(entry["versions"], dict)):
            raise LayoutError("provenance is not what pardem writes")
    return origin


def _result(result: Result) -> dict[str, Any]:
    species = np.bincount(result.species_rows)
    return {
        "finished": result.finished,
        "checkpoint_step": None if result.finished else result.checkpoint_step,
        "case_hash": result.case_hash,
        "grains": int(species.sum()),
        "species": species.tolist(),
    }


def _rows(result: Result) -> dict[str, Any]:
    """What grows with a run: frames, their contacts, observables."""
    out: dict[str, Any] = {}
    if result.fields:
        out["frames"] = _span(result.steps, result.times) | {"fields": list(result.fields), "precision": result.precision}
    if result.contact_fields:
        last, _ = result.contact_rows(-1) if len(result) else (slice(0, 0), False)
        out["contacts"] = {"count": last.stop, "last": last.stop - last.start, "fields": list(result.contact_fields)}
    series = result.series
    if "outflow/grains" in series.values and len(series.steps):
        out["left"] = int(series.values["outflow/grains"][-1])
    if "inflow/grains" in series.values and len(series.steps):
        out["arrived"] = int(series.values["inflow/grains"][-1])
    if series.values:
        out["observables"] = _span(series.steps, series.times) | {"names": list(series.values)}
    return out


def _span(steps: np.ndarray, times: np.ndarray) -> dict[str, Any]:
    """Number, first and last step and time of the rows."""
    if not len(steps):
        return {"count": 0}
    return {"count": len(steps), "steps": [int(steps[0]), int(steps[-1])], "times": [float(times[0]), float(times[-1])]}


def _lines(found: dict[str, Any]) -> list[tuple[str, str]]:
    state = "" if "finished" not in found else ", finished" if found["finished"] else ", not finished"
    lines = [("kind", found["kind"] + state), ("size", f"{found['bytes'] / 1e6:.3g} MB"), ("case", f"hash {found.get('case_hash', 'unknown')}")]
    if "grains" in found:
        counts = found.get("species", [])
        by_species = f" ({' + '.join(map(str, counts))} by species)" if len(counts) <= MOST_SPECIES else f" of {len(counts)} species"
        lines.append(("grains", str(found["grains"]) + (by_species if len(counts) > 1 else "")))
    if "left" in found:
        lines.append(("outflow", f"{found['left']} grains have left"))
    if "arrived" in found:
        lines.append(("inflow", f"{found['arrived']} poured grains have arrived"))
    for what in ("frames", "observables"):
        if span := found.get(what):
            said = str(span["count"])
            if span["count"]:
                said += f", steps {span['steps'][0]} to {span['steps'][1]}, t = {span['times'][0]:.6g} to {span['times'][1]:.6g} s"
            names = span.get("fields", span.get("names", []))
            lines += [(what, said), ("", ", ".join(names) + (f" ({span['precision']} precision)" if "precision" in span else ""))]
    if shown := found.get("contacts"):
        lines += [("contacts", f"{shown['count']} in all frames, {shown['last']} in the last one"), ("", ", ".join(shown["fields"]))]
    if "state" in found:
        lines.append(("full state", f"step {found['state']['step']}, {found['state']['contacts']} contacts"))
    elif (found.get("checkpoint_step") or -1) >= 0:
        lines.append(("checkpoint", f"step {found['checkpoint_step']}; continue with --resume"))
    lines += [("lost", text) for text in found.get("losses", [])]
    origin = found.get("provenance", [])
    for entry in origin if isinstance(origin, list) else [origin]:
        if said := entry.get("start", {}).get("said"):
            lines.append(("start", said))
        span = entry["started"] + (f" to {entry['ended']}" if "ended" in entry else "")
        lines.append(("written by", f"{program({'pardem': 'unknown'} | entry['versions'])} on {entry['host']}, {entry['ranks']} rank(s), {span}"))
    return lines


def main(path: Path, as_json: bool = False) -> int:
    """`pardem info`: print the summary, as lines or as JSON; exit status 0."""
    found = info(path)
    if as_json:
        print(json.dumps(found, indent=1))
    else:
        print(found["file"])
        print("\n".join(f"  {label:<12}{text}" for label, text in _lines(found)))
    return 0
