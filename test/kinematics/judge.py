"""How close a chain can come to a point, by plain enumeration: an independent judge for tests.

Where the tip is closest to a point, each joint is at a limit or *in line*: the line through tip
and point goes through its pivot, or is at right angles to its slide (doc/solvers.md, section 8).
An absolute joint has limits of its heading and its bend. That leaves finitely many poses: all are
tried.
"""

import cmath
import functools
import itertools
import math

from arms import turns_of_bends

EPSILON = 1e-9  # rad and reaches
MOST_TURNS = 6


class Run:
    """Links that are rigid among themselves but for slides that are free.

    `way` leads to their end where these slides are at 0, seen from the first link's frame; `turns`
    are the headings of all frames and `slides` the directions of free slides, by number, seen from
    there. `heading` is that of the first frame, None if it is in line.
    """

    def __init__(self, heading):
        self.heading, self.way, self.slides, self.turns = heading, 0j, {}, []


def phase(z):
    """The heading of a vector; that of `cmath` refuses headings next to 0."""
    return math.atan2(z.imag, z.real)


def closest(chain, x, y):
    """The distance in m of a point from the tip where that is as close as limits let it come."""
    gap, found = complex(x, y) - complex(*chain.tool), []
    for known, way, far, headings, slid in _held(chain):
        line, more, distance = _line(known, gap - way, far)
        found.append((distance, line, headings, slid | more))
    for distance, line, headings, slid in sorted(found, key=lambda row: row[0]):
        if _fits(chain, [line * share + heading for share, heading in headings], slid):
            return distance
    return math.inf


@functools.lru_cache(1)
def _held(chain):
    """All ways to hold joints, whatever the point.

    Runs that are held, where they lead, how far those in line lead, the heading of each frame (the
    line's, times 1 or 0, and what is added), and slides.
    """
    rows = []
    for held in itertools.product(*map(_holds, chain.joints)):
        runs = _runs(chain, held)
        known = [run for run in runs if run.heading is not None]
        loose = [run for run in runs if run.heading is None]
        if sum(len(run.slides) for run in known) > 1 or any(len(run.slides) > 1 for run in loose):
            continue
        way = sum(run.way * cmath.rect(1, run.heading) for run in known)
        for lay in itertools.product(*map(_laid, loose)):
            ways, slid = iter(lay), {}
            begins = [(1, next(ways)[1]) if r.heading is None else (0, r.heading) for r in runs]
            pairs = zip(begins, runs, strict=True)
            headings = [(share, begin + t) for (share, begin), run in pairs for t in run.turns]
            for _, _, more in lay:
                slid |= more
            rows.append((known, way, sum(far for far, _, _ in lay), headings, slid))
    return rows


def _holds(joint):
    """The ways to hold a joint: (bend, position), each None where it is not held."""
    positions = {joint.lower or 0.0, joint.upper or 0.0}  # Any place will do if there are none.
    bends = {joint.min_bend, joint.max_bend} - {None}
    holds = [(bend, place) for bend in (*bends, None) for place in (*positions, None)]
    if joint.lower is not None and len(positions) == 1:
        holds = [(bend, place) for bend, place in holds if place is not None]
    return [hold for hold in holds if len(bends) != 1 or hold[0] is not None]


def _runs(chain, held):
    runs, before = [Run(0.0)], 0.0  # The ground is where the first one begins.
    for j, (joint, (bend, value)) in enumerate(zip(chain.joints, held, strict=True)):
        link, own = complex(*joint.link), joint.offset + joint.axis * (value or 0.0)
        turn = runs[-1].turns[-1] if runs[-1].turns else 0.0
        if joint.slides:
            turn += joint.offset
        elif bend is not None:
            turn += before + bend - phase(link)
            if value is not None:
                runs[-1].heading = own - turn
        elif value is None or joint.absolute:
            runs.append(Run(None if value is None else own))
            turn = 0.0
        else:
            turn += own
        before, run = phase(link), runs[-1]
        if joint.slides:
            unit = joint.axis * (link / abs(link) if link else 1)
            run.slides |= {j: unit * cmath.rect(1, turn)} if value is None else {}
            link += unit * (value or 0)
        run.turns.append(turn)
        run.way += link * cmath.rect(1, turn)
    return runs


def _laid(run):
    """A run along the x-axis, on or back: how far it leads, its heading, where its slide is.

    A free slide is at right angles to the axis, to either side.
    """
    begin = math.pi / 2 - phase(*run.slides.values()) if run.slides else -phase(run.way)
    for heading in (begin, begin + math.pi):
        way = run.way * cmath.rect(1, heading)
        slid = {j: -way.imag / (s * cmath.rect(1, heading)).imag for j, s in run.slides.items()}
        yield way.real, heading, slid


def _line(known, gap, far):
    """The heading of the line, where a slide before it is, and how much of a gap is left."""
    for run in known:
        for j, along in run.slides.items():
            ahead = 1j * along * cmath.rect(1, run.heading)
            return phase(ahead), {j: -(gap / ahead).imag}, abs((gap / ahead).real - far)
    return phase(gap), {}, abs(abs(gap) - far)


def _fits(chain, headings, slid):
    """Whether a pose is within all limits."""
    before, way, turns = 0.0, 0.0, {0}  # That may be added to the heading before.
    rows = zip(chain.joints, headings, turns_of_bends(chain), strict=True)
    for j, (joint, heading, shift) in enumerate(rows):
        last, way = way, heading + phase(complex(*joint.link))
        turned = heading - joint.offset - (0 if joint.absolute else before)
        before = heading
        if joint.slides:
            if j in slid and not joint.lower - EPSILON <= slid[j] <= joint.upper + EPSILON:
                return False
            continue
        own = {joint.axis * n for n in _turns(joint.axis * turned, joint.lower, joint.upper)}
        bends = _turns(way - last, joint.min_bend, joint.max_bend)
        if not joint.absolute:
            turns = {new + old for new in own for old in turns}
        elif shift is None:
            turns = own if bends else set()
        else:
            turns = {new for new in own for old in turns if new - old + shift in bends}
        if not turns:
            return False
    return True


def _turns(angle, low, high):
    """The whole turns, some at the most, that bring an angle within limits."""
    within = range(-MOST_TURNS, MOST_TURNS + 1)
    if low is None:
        return set(within)
    turned = ((n, angle + 2 * math.pi * n) for n in within)
    return {n for n, there in turned if low - EPSILON <= there <= high + EPSILON}
