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

import numpy as np
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
    rows, ways, spans, tracks = _held(chain)
    gaps = complex(x, y) - complex(*chain.tool) - ways
    # Where a slide before the line moves it, the line is at right angles to the slide.
    seen = np.where(tracks, gaps * tracks.conj(), np.abs(gaps))
    distances = np.abs(seen.real - spans.real)
    directions = [phase(complex(*joint.link)) for joint in chain.joints]
    joints = [*zip(chain.joints, directions, turns_of_bends(chain), strict=True)]
    for k in np.argsort(distances, kind='stable').tolist():
        headings, slid, before = rows[k]
        line = phase(tracks[k] or gaps[k])
        if before is not None:
            slid = slid | {before: -seen[k].imag}
        if _fits(joints, [line * share + heading for share, heading in headings], slid):
            return distances[k]
    return math.inf


@functools.lru_cache(1)
def _held(chain):
    """All ways to hold joints, whatever the point.

    Of each the heading of each frame (the line's, times 1 or 0, and what is added), slides, and the
    slide before the line, if any; then, as arrays, where held runs lead, how far those in line
    lead, and the direction of the line that a slide before it leaves, or 0.
    """
    rows, numbers = [], []
    for held in itertools.product(*map(_holds, chain.joints)):
        runs = _runs(chain, held)
        known = [run for run in runs if run.heading is not None]
        loose = [run for run in runs if run.heading is None]
        if sum(len(run.slides) for run in known) > 1 or any(len(run.slides) > 1 for run in loose):
            continue
        way = sum(run.way * cmath.rect(1, run.heading) for run in known)
        free = [(j, 1j * s * cmath.rect(1, r.heading)) for r in known for j, s in r.slides.items()]
        before, track = free[0] if free else (None, 0j)
        for lay in itertools.product(*map(_laid, loose)):
            laid, slid = iter(lay), {}
            begins = [(1, next(laid)[1]) if r.heading is None else (0, r.heading) for r in runs]
            pairs = zip(begins, runs, strict=True)
            headings = [(share, begin + t) for (share, begin), run in pairs for t in run.turns]
            for _, _, more in lay:
                slid |= more
            rows.append((headings, slid, before))
            numbers.append((way, sum(far for far, _, _ in lay), track))
    return rows, *np.array(numbers, complex).reshape(-1, 3).T


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


def _fits(joints, headings, slid):
    """Whether a pose of joints, each with its link's direction and its turns, is within limits."""
    before, way, turns = 0.0, 0.0, {0}  # That may be added to the heading before.
    for j, ((joint, direction, shift), heading) in enumerate(zip(joints, headings, strict=True)):
        last, way = way, heading + direction
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
    least, most = -MOST_TURNS, MOST_TURNS
    if low is not None:
        least = max(least, math.ceil((low - EPSILON - angle) / math.tau))
        most = min(most, math.floor((high + EPSILON - angle) / math.tau))
    return range(least, most + 1)
