"""What a chain can reach within its limits, by plain enumeration: an independent judge for tests.

Where the tip is closest to a point, each joint is at a limit or *in line*: the line through tip
and point goes through its pivot, or is at right angles to its slide. And what can be reached at all
can be reached with each joint at a limit, but for a first one that is free, and later ones in line,
on a line through the tip. That leaves finitely many poses (docs/solvers.md): all are tried.
"""

import cmath
import itertools
import math
from collections import namedtuple

EPSILON = 1e-9  # rad and reaches

# What is rigid but for free slides, from the base or a free joint that turns to the next one: the
# way to its end, seen from its first link, where slides are at 0; their directions by joint; how
# far it turns; its first joint.
Part = namedtuple('Part', ('way', 'slides', 'turn', 'first'))


def phase(z):
    """The heading of a vector; that of `cmath` refuses headings next to 0."""
    return math.atan2(z.imag, z.real)


def closest(chain, x, y):
    """The distance in m of a point from the tip where that is as close as limits let it come."""
    return min(_tried(chain, complex(x, y), _closest_to))


def reaches(chain, x, y):
    """Whether the tip can be at a point within the limits."""
    slack = EPSILON * (chain.reach.outer or 1.0)
    return closest(chain, x, y) <= slack or any(True for _ in _tried(chain, complex(x, y), _at))


def _tried(chain, point, meet):
    """The distances of the poses that a way to meet the point finds, and limits allow."""
    for held in itertools.product(*map(_places, chain.joints)):
        base, *parts = _parts(chain, held)
        if len(base.slides) <= 2 and all(len(part.slides) <= 1 for part in parts):
            for line, slid, lay, distance in meet(base, parts, point - base.way):
                if _fits(chain, base, line, slid, lay):
                    yield distance


def _places(joint):
    """The limits of a joint, or any place of one without, and None where it may be free."""
    limits = {joint.lower or 0.0, joint.upper or 0.0}
    return [*limits, None] if joint.lower is None or len(limits) == 2 else [*limits]


def _parts(chain, held):
    parts, way, slides, turn, first = [], 0j, {}, 0.0, None
    for j, (joint, value) in enumerate(zip(chain.joints, held, strict=True)):
        link = complex(*joint.link)
        if value is None and not joint.slides:
            parts.append(Part(way, slides, turn, first))
            way, slides, turn, first = 0j, {}, 0.0, j
        else:
            turn += joint.offset + (0 if joint.slides else joint.axis * value)
        if joint.slides:
            unit = joint.axis * (link / abs(link) if link else 1)
            slides |= {j: unit * cmath.rect(1, turn)} if value is None else {}
            link += unit * (value or 0)
        way += link * cmath.rect(1, turn)
    return [*parts, Part(way, slides, turn, first)]


def _across(slides):
    """The directions in which the one slide is at right angles to the x-axis."""
    return [side * math.pi / 2 - phase(*slides.values()) for side in (1, -1)]


def _in_line(parts):
    """Ways to lay parts along the x-axis: how far they lead, and (heading, slid, part) of each."""
    choices = []
    for part in parts:
        choices.append([])
        for turn in _across(part.slides) if part.slides else (0.0, math.pi):
            heading, slid = turn - (0 if part.slides else phase(part.way)), {}
            way = part.way * cmath.rect(1, heading)
            for j, along in part.slides.items():
                slid[j] = -way.imag / (along * cmath.rect(1, heading)).imag
            choices[-1].append((way.real, (heading, slid, part)))
    for chosen in itertools.product(*choices):
        yield sum(far for far, _ in chosen), [laid for _, laid in chosen]


def _closest_to(base, parts, gap):
    """Poses with all free joints in line with the point."""
    for far, lay in _in_line(parts):
        if not base.slides:
            yield phase(gap), {}, lay, abs(abs(gap) - far)
        elif len(base.slides) == 1:
            ((j, along),) = base.slides.items()
            seen = gap / (1j * along)
            yield phase(1j * along), {j: -seen.imag}, lay, abs(seen.real - far)


def _at(base, parts, gap):
    """Poses with the tip at the point, and all free joints but the first in line."""
    if base.slides:
        return _at_from_a_slide(base, parts, gap)
    if parts and parts[0].slides:
        return _at_with_a_slide(*parts, gap=gap)
    return _triangles(*parts, gap=gap) if len(parts) > 1 else ()


def _at_from_a_slide(base, parts, gap):
    (i, first), *others = base.slides.items()
    for far, lay in _in_line(parts):
        for j, other in others:
            seen, across = gap / (1j * other), first / (1j * other)
            if abs(across.real) > EPSILON:
                slid = (seen.real - far) / across.real
                slides = {i: slid, j: slid * across.imag - seen.imag}
                yield phase(1j * other), slides, lay, 0
        if parts and not others:
            seen = gap / first
            for root in _roots(far * far - seen.imag * seen.imag):
                left = complex(-root, seen.imag) * first
                yield phase(left * far), {i: seen.real + root}, lay, 0


def _at_with_a_slide(first, *rest, gap):
    ((j, along),) = first.slides.items()
    for (far, lay), heading in itertools.product(_in_line(rest), _across(first.slides)):
        way, slide = (z * cmath.rect(1, heading) for z in (first.way, along))
        for across in _roots(abs(gap) ** 2 - (far + way.real) ** 2):
            slid = {j: (across - way.imag) / slide.imag}
            line = phase(gap) - phase(complex(far + way.real, across))
            yield line, {}, [(heading, slid, first), *lay], 0


def _triangles(first, *rest, gap):
    size = abs(first.way)
    for far, lay in _in_line(rest):
        double, square = 2 * abs(gap) * size, abs(gap) ** 2 + size**2 - far**2
        along = square / double if double else 1.0 if abs(square) < EPSILON**2 else 2.0
        for across in _roots(1 - along * along):
            turn = phase(gap) + math.atan2(across, along)
            line = phase((gap - cmath.rect(size, turn)) * far)
            yield line, {}, [(turn - phase(first.way) - line, {}, first), *lay], 0


def _roots(square):
    root = math.sqrt(max(square, 0.0))
    return (root, -root) if square > -(EPSILON**2) else ()


def _fits(chain, base, line, slid, lay):
    """Whether the pose is within the limits of all free joints."""
    before, slid = base.turn, {**slid}
    for heading, slides, part in lay:
        joint, slid = chain.joints[part.first], slid | slides
        if joint.lower is not None:
            bend = joint.axis * (line + heading - before - joint.offset)
            bend -= 2 * math.pi * math.floor((bend - joint.lower + EPSILON) / (2 * math.pi))
            if bend > joint.upper + EPSILON:
                return False
        before = line + heading + part.turn
    return all(
        chain.joints[j].lower - EPSILON <= value <= chain.joints[j].upper + EPSILON
        for j, value in slid.items()
    )
