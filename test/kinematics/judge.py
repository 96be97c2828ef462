"""How close a chain can come to a point, by plain enumeration: an independent judge for tests.

Where the tip is closest to a point, each joint is at a limit or *in line*: the line through tip
and point goes through its pivot, or is at right angles to its slide (docs/solvers.md, section 8).
That leaves finitely many poses: all are tried.
"""

import cmath
import itertools
import math
from collections import namedtuple

EPSILON = 1e-9  # rad and reaches

# Links from a joint that turns freely, or from the base, up to the next such joint, rigid but for
# slides that are free: the way to their end where those are at 0, and the slides' directions, all
# seen from the first link; how far they turn; the number of the first joint.
Part = namedtuple('Part', ('way', 'slides', 'turn', 'first'))


def phase(z):
    """The heading of a vector; that of `cmath` refuses headings next to 0."""
    return math.atan2(z.imag, z.real)


def closest(chain, x, y):
    """The distance in m of a point from the tip where that is as close as limits let it come."""
    found = math.inf
    for held in itertools.product(*map(_places, chain.joints)):
        base, *parts = _parts(chain, held)
        if len(base.slides) <= 1 and all(len(part.slides) <= 1 for part in parts):
            for line, slid, lay, distance in _poses(base, parts, complex(x, y) - base.way):
                if distance < found and _fits(chain, base, line, slid, lay):
                    found = distance
    return found


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


def _poses(base, parts, gap):
    """Poses with all free joints in line with a point so far from the base's end."""
    for far, lay in _in_line(parts):
        if not base.slides:
            yield phase(gap), {}, lay, abs(abs(gap) - far)
        else:
            ((j, along),) = base.slides.items()
            seen = gap / (1j * along)
            yield phase(1j * along), {j: -seen.imag}, lay, abs(seen.real - far)


def _in_line(parts):
    """Ways to lay parts along the x-axis: how far they lead, and (heading, slid, part) of each."""
    for chosen in itertools.product(*map(_laid, parts)):
        yield sum(far for far, _ in chosen), [laid for _, laid in chosen]


def _laid(part):
    """A part on along the x-axis or back; a free slide in it at right angles, to either side."""
    quarter = math.pi / 2 - phase(*part.slides.values()) if part.slides else -phase(part.way)
    for heading in (quarter, quarter + math.pi):
        way, slid = part.way * cmath.rect(1, heading), {}
        for j, along in part.slides.items():
            slid[j] = -way.imag / (along * cmath.rect(1, heading)).imag
        yield way.real, (heading, slid, part)


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
    limits = {j: chain.joints[j] for j in slid}
    return all(limits[j].lower - EPSILON <= x <= limits[j].upper + EPSILON for j, x in slid.items())
