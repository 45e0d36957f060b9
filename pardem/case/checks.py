"""Checks across tables: names must refer to something, and some keys require others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..case_values import MOST
from ..suggestions import unknown
from ..walls.motion.fixed import REST
from .motions import FixedMotion
from .placement import AnyRegion
from .pours import pour_problems
from .resistance_checks import resistance_problems
from .stages import Run, Settle, Vibrate
from .tables import CaseTables
from .walls import TABLES, AnyWall

MOST_GRAINS = 2**31 - 1
MOST_LAYERS = 10_000
NO_GRAINS = "the case has no grains: give [[insert]], [[pour]], [[grain]], [[voronoi]], grains_file or [start]"


def problems(case: CaseTables) -> list[str]:
    """Find everything that is wrong with a case whose individual values are valid.

    Args:
        case: tables of the case.

    Returns:
        One sentence for each problem.
    """
    return [*_names(case), *_grains(case), *_contacts(case), *_walls(case), *_motions(case), *_stages(case), *_output(case)]


def _twice(names: Iterable[str], table: str) -> Iterator[str]:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            yield f"{table}.name = '{name}' is used twice: names must differ"
        seen.add(name)


def _names(case: CaseTables) -> Iterator[str]:
    yield from _twice((s.name for s in case.species), "species")
    yield from _twice((w.name for w in case.wall), "wall")
    yield from _twice((s.name for s in case.stage), "stage")
    yield from _twice((i.name for i in case.insert if i.name), "insert")
    yield from _twice((p.name for p in case.pour if p.name), "pour")
    yield from _twice((g.name for g in case.grain if g.name), "grain")


def _grains(case: CaseTables) -> Iterator[str]:
    if not case.species:
        yield "the case has no species: give [[species]] or [[voronoi]]"
    known = [s.name for s in case.species]
    present = set(known)
    at_random = [(f"{table}.{item.name or i}", item) for table in ("insert", "pour") for i, item in enumerate(getattr(case, table))]
    placed = [(key, item.species) for key, item in at_random]
    placed += [(f"grain.{item.name or i}", item.species) for i, item in enumerate(case.grain)]
    for key, name in placed:
        if name not in present:
            yield unknown(f"{key}.species", name, known, "species")
    if not at_random and not case.grain and case.grains_file is None and case.start is None:
        yield NO_GRAINS
    domain = case.domain
    for key, item in at_random:
        if item.region.kind == "periodic" and (domain is None or not any(domain.periodic)):
            yield f"{key}.region.kind = 'periodic' needs [domain] with at least one periodic axis; use 'box' otherwise"
        elif domain is not None:
            for axis, low, high, (least, most) in zip("xyz"[: case.dimension], domain.lower, domain.upper, _extent(item.region), strict=False):
                if least < low or most > high:
                    yield f"{key}.region reaches from {least!r} to {most!r} along {axis}, beyond [domain] ({low!r} to {high!r})"
    yield from _lowered(case)
    yield from pour_problems(case)
    if (count := sum(item.count for item in case.at_random)) > MOST_GRAINS:
        yield f"{'insert' if case.insert else 'pour'}.count adds up to {count} grains; a case may have at most {MOST_GRAINS}"
    if domain is None and not case.wall:
        yield "the case has neither [domain] nor [[wall]]: give one to contain the grains"
    for i, grain in enumerate(case.grain):
        if domain is not None and not all(lo <= c < hi for lo, c, hi in zip(domain.lower, grain.position, domain.upper, strict=True)):
            yield f"grain.{grain.name or i}.position = {list(grain.position)} lies outside [domain] ({list(domain.lower)} to {list(domain.upper)})"


def _lowered(case: CaseTables) -> Iterator[str]:
    """Check that grains which are to be lowered have a flat floor below them."""
    along = [axis for axis, g in zip("xyz", case.gravity, strict=False) if g != 0.0]
    for i, insert in enumerate(case.insert):
        if not insert.lowered:
            continue
        key, region = f"insert.{insert.name or i}", insert.region
        if len(along) != 1:
            yield f"{key}.lowered needs gravity along one axis, but gravity = {list(case.gravity)}"
        elif region.kind == "cylinder" and (case.dimension == 2 or region.axis != along[0]):
            yield f"{key}.lowered needs a region with a flat lower end: a box, or a cylinder along gravity ({along[0]})"
        elif case.domain is not None and case.domain.periodic["xyz".index(along[0])]:
            yield f"{key}.lowered needs a floor, but [domain] is periodic along gravity ({along[0]})"


def _extent(region: AnyRegion) -> list[tuple[float, float]]:
    """Return where a region begins and ends along each axis (m); nothing for the region of the whole domain."""
    if region.kind == "box":
        return list(zip(region.lower, region.upper, strict=True))
    if region.kind == "periodic":
        return []
    ends = [(c - region.radius, c + region.radius) for c in region.center]
    ends["xyz".index(region.axis)] = (region.lower, region.upper)
    return ends


def _contacts(case: CaseTables) -> Iterator[str]:
    known = list(case.materials)
    species = [s.name for s in case.species]
    if isinstance(case.contact.eps, dict):
        for name in case.contact.eps:
            if name not in species:
                yield unknown(f"contact.eps.{name}", name, species, "species")
    seen: set[frozenset[str]] = set()
    for pair in case.contact.pair:
        key = f"contact.pair.{'-'.join(pair.between)}"
        for name in pair.between:
            if name not in known:
                yield unknown(f"{key}.between", name, known, "material of a species or wall")
        if frozenset(pair.between) in seen:
            yield f"{key} is given twice: give one entry for each pair"
        seen.add(frozenset(pair.between))
    yield from resistance_problems(case.contact, case.dimension)
    yield from _twice((m.name for m in case.material), "material")
    for material in case.material:
        if material.name not in known:
            yield unknown(f"material.{material.name}.name", material.name, known, "material of a species or wall")
    parameters = case.contact_table(list(dict.fromkeys(s.material for s in case.species)), known)
    yield from parameters.problems()


def _walls(case: CaseTables) -> Iterator[str]:
    stages = [s.name for s in case.stage]
    species = [s.name for s in case.species]
    for wall in case.wall:
        if wall.shape_of is not None and wall.shape_of not in species:
            yield unknown(f"wall.{wall.name}.species", wall.shape_of, species, "species")
        for name in wall.stages or ():
            if name not in stages:
                yield unknown(f"wall.{wall.name}.stages", name, stages, "stage")
    if case.attraction is not None and case.domain is not None and any(case.domain.periodic):
        yield "attraction has no meaning in a periodic domain, where every point has many images; remove domain.periodic"


def _motions(case: CaseTables) -> Iterator[str]:
    for wall in case.wall:
        yield from _motion_starts(case, wall)
        for index, motion in enumerate(wall.motions):
            key = _motion_key(wall, index)
            if (motion.turns or motion.pushed) and wall.moves_as_one:
                yield f"{key}.kind = '{motion.kind}' is not for a {wall.kind}, whose faces move together: give planes or bodies"
            yield from motion.objections(key, case)
            if index > 0 and wall.motions[index - 1].turns and motion.mover is not REST:
                yield f"{key}.kind = '{motion.kind}' cannot follow a rotation: after it a wall can only be 'fixed'"


def _motion_key(wall: AnyWall, index: int) -> str:
    return f"wall.{wall.name}.motion" if index == 0 else f"wall.{wall.name}.then.{index - 1}"


def _motion_starts(case: CaseTables, wall: AnyWall) -> Iterator[str]:
    stages, begins = [s.name for s in case.stage], -1
    for index, motion in enumerate(wall.motions):
        key, start = _motion_key(wall, index), getattr(motion, "start", 0.0)
        if not isinstance(start, str):
            if index > 0:
                yield f"{key}.start = {start!r} must be the name of a stage ({', '.join(stages)}): a motion begins with a stage"
            continue
        if start not in stages:
            yield unknown(f"{key}.start", start, stages, "stage")
            continue
        if stages.index(start) <= begins:
            yield f"{key}.start = '{start}' must name a later stage than that of the motion before it"
        begins = stages.index(start)


def _stages(case: CaseTables) -> Iterator[str]:
    walls = {wall.name: wall for wall in case.wall}
    for stage in case.stage:
        if (steps := stage.max_steps(case.time.step)) > MOST:
            yield f"stage.{stage.name} takes {steps:.3g} steps of time.step = {case.time.step!r} s, but a run can have at most {MOST:.3g}: shorten it"
        if isinstance(stage, Run) and stage.outflow_share is not None and not (case.domain and case.domain.outflow):
            yield f"stage.{stage.name}.outflow_share = {stage.outflow_share!r} needs a face through which grains can leave: give domain.outflow"
        if isinstance(stage, Settle) and stage.until_clear is not None:
            yield from _pierced(case, f"stage.{stage.name}.until_clear", stage.until_clear)
        if not isinstance(stage, Vibrate):
            continue
        wall = walls.get(stage.wall)
        if wall is None:
            yield unknown(f"stage.{stage.name}.wall", stage.wall, list(walls), "wall")
        elif not isinstance(wall.motion, FixedMotion) or wall.then:
            kind = wall.then[0].kind if wall.then and isinstance(wall.motion, FixedMotion) else wall.motion.kind
            yield f"stage.{stage.name}.wall = '{stage.wall}' already moves (wall.{wall.name}.motion.kind = '{kind}'): make it 'fixed'"
        yield from stage.objections(f"stage.{stage.name}", case)
        if 1.0 / stage.frequency < 20.0 * case.time.step:
            yield f"stage.{stage.name}.frequency = {stage.frequency!r} Hz is too high for time.step = {case.time.step!r} s: a period needs 20 steps"


def _output(case: CaseTables) -> Iterator[str]:
    output = case.output
    for what in ("frame", "observable"):
        if getattr(output, f"{what}_taps") is not None and case.tap_period() is None:
            yield f"output.{what}_taps needs a stage with kind = 'vibrate'; give {what}_interval (s) or {what}_steps"
    yield from _layers(case)
    options = output.observables
    containers, bases = ([tag for tag, table in TABLES.items() if getattr(table, trait)] for trait in ("contains", "carries"))
    for key, name, kinds in (("container", options.container, containers), ("base", options.base, bases)):
        fitting = [wall.name for wall in case.wall if wall.kind in kinds]
        if name != "auto" and name not in fitting:
            yield unknown(f"output.observables.{key}", name, fitting, f"wall of kind {' or '.join(kinds)}")
    walls = [wall.name for wall in case.wall]
    if options.near_wall is not None and options.near_wall.wall not in walls:
        yield unknown("output.observables.near_wall.wall", options.near_wall.wall, walls, "wall")
    if options.above_hole is not None:
        yield from _pierced(case, "output.observables.above_hole", options.above_hole)


def _pierced(case: CaseTables, key: str, name: str) -> Iterator[str]:
    """Check that a name is that of a disc with a hole."""
    fitting = [wall.name for wall in case.wall if getattr(wall, "hole", None) is not None]
    if name not in fitting:
        yield unknown(key, name, fitting, "disc with a hole")


def _layers(case: CaseTables) -> Iterator[str]:
    """Check the number of layers, from their origin to the highest place of the domain or, without a domain, of the initial grains."""
    layers = case.output.observables.layers
    if layers is None:
        return
    a = "xyz".index(layers.axis)
    tops = [grain.position[a] for grain in case.grain] + [ends[a][1] for item in case.at_random if (ends := _extent(item.region))]
    top = case.domain.upper[a] if case.domain is not None else max(tops, default=layers.origin)
    if (count := (top - layers.origin) / layers.thickness) > MOST_LAYERS:
        yield (
            f"output.observables.layers.thickness = {layers.thickness!r} makes {count:.3g} layers from {layers.origin!r} to {top!r} m; "
            f"at most {MOST_LAYERS} are possible"
        )
