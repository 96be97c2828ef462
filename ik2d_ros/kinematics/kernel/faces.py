"""Chains with absolute joints: the poses in which limits hold as many joints as they can.

Take the headings of the links for coordinates. Then every limit bounds one heading or the
difference of two that follow each other, and the tip is a sum of vectors. Limits that are met cut
the chain into *runs* of links that are rigid among themselves: a face of what limits leave. A run
is at a constant heading, if an absolute joint in it is at a limit, or it turns as a whole.

Where the tip is at the edge of what can be reached, the runs that turn are on parallel lines. So a
face is a constant vector, the vectors of those runs added up to one *span*, and, to bring the tip
to a point, one run that turns freely: the *mover*. That is a triangle.
"""

from __future__ import annotations

import math
from array import array
from cmath import phase as phase_of
from cmath import rect
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

try:
    import cython
except ImportError:
    from ik2d_ros.kinematics.kernel import uncompiled as cython

from ik2d_ros.kinematics.kernel.linkage import Index, Link, Linkage, room

if not cython.compiled:
    from ik2d_ros.kinematics.kernel.linkage import SLACK, doubles, integers
    from ik2d_ros.kinematics.kernel.points import near_zero, phase, unit

TINY = 1e-12  # reaches; what is shorter has no length.
TOUCHING = 1e-12  # reaches; circles that miss each other by no more touch.
SAME = 1e-14  # reaches; distances that differ by no more are equal: the smaller move counts.
SAME_MOVE = 1e-9  # rad; moves that differ by less are equal.
WRONG_SIDE = 1e6  # rad; what a bend to the other side counts in addition.
FAR = 1e300  # A cost that nothing has.
MOST_FACES = 20_000  # Ways to hold joints that are all tried.
TAU = 2 * math.pi

# How the headings of a run are known: constant, with the mover, along the line, from the tip angle.
FIXED, MOVER, LINE, AIMED = 0, 1, 2, 3


class Run(NamedTuple):
    """Links that follow each other, rigid among themselves.

    Attributes:
        first: the first of them.
        turns: the heading of each, seen from the first one.
        chord: from its first pivot to its end, seen from the first link.
        longest: whether no joint that leaves its limit makes the chord longer.
        shortest: whether none makes it shorter.
    """

    first: int
    turns: tuple[float, ...]
    chord: complex
    longest: bool
    shortest: bool


class Face(NamedTuple):
    """Runs, and how the heading of each is known.

    Attributes:
        place: the sum of the constant vectors.
        aimed: the chord of the run that has the tip angle; 0 for none.
        chord: the mover's; 0 for none.
        span: the length of the runs along the line; 0 for none.
        kinds: of each link, FIXED, MOVER, LINE or AIMED.
        turns: of each link, its heading for that.
    """

    place: complex
    aimed: complex
    chord: complex
    span: float
    kinds: tuple[int, ...]
    turns: tuple[float, ...]


def first_with_faces(links: Sequence[Link]) -> int:
    """Return from which joint on all faces can be tried: 0 for all, their number for none."""
    if any(link.slides for link in links):
        return len(links)
    ways, first = 1, len(links)
    while first and ways <= MOST_FACES:
        first -= 1
        ways *= 1 + len(links[first].limits) + (links[first].absolute and len(links[first].bends))
    return first + (ways > MOST_FACES)


def runs(links: Sequence[Link], first: int) -> Iterator[Run]:
    """Yield the runs that begin with a link."""
    start = complex(links[first].fixed)
    yield from _grown(links, first, (0.0,), start, [])


def _grown(
    links: Sequence[Link],
    first: int,
    turns: tuple[float, ...],
    chord: complex,
    held: list[tuple[int, complex]],
) -> Iterator[Run]:
    end = first + len(turns)
    if end == len(links) or links[end].absolute or links[end].free:
        across = chord.conjugate() / (abs(chord) or 1.0)
        pushes = [side * (pivot * across).imag for side, pivot in held]
        longest, shortest = min(pushes, default=0.0) >= -TINY, max(pushes, default=0.0) <= TINY
        yield Run(first, turns, chord, longest, shortest)
    if end == len(links):
        return
    link = links[end]
    bends = link.bends if link.absolute else link.limits
    for bend, side in zip(bends, (-1, 1)):
        turn = turns[len(turns) - 1] + bend
        push = [*held, (side, chord)] if len(bends) > 1 else held
        onward = chord + rect(link.fixed, turn)
        yield from _grown(links, first, (*turns, turn), onward, push)


def faces(
    links: Sequence[Link], begin: int, mover: int | None = None, aimed: bool = False
) -> Iterator[Face]:
    """Yield the faces of the links from one on, those before it standing somewhere.

    Args:
        links: all of the chain.
        begin: the first link.
        mover: a link whose run turns freely; None for no mover.
        aimed: whether the last link has the tip angle.
    """
    for layout in _layouts(links, begin):
        for kinds in product(*(_kinds(links, run, mover, aimed) for run in layout)):
            on_line = [run for run, (kind, _) in zip(layout, kinds) if kind == LINE]
            for sides in _sides(on_line):
                face = _face(layout, kinds, sides)
                if _may_hold(links, begin, face):
                    yield face


def _layouts(links: Sequence[Link], first: int) -> Iterator[tuple[Run, ...]]:
    if first == len(links):
        yield ()
        return
    for run in runs(links, first):
        for rest in _layouts(links, first + len(run.turns)):
            yield (run, *rest)


def _kinds(
    links: Sequence[Link], run: Run, mover: int | None, aimed: bool
) -> list[tuple[int, float]]:
    """Return how the heading of a run can be known, and that of its first link if it is fixed."""
    inside = range(run.first, run.first + len(run.turns))
    if aimed and inside.stop == len(links):
        return [] if mover in inside else [(AIMED, -run.turns[len(run.turns) - 1])]
    fixed = [
        (FIXED, value - turn)
        for j, turn in zip(inside, run.turns)
        for value in links[j].limits
        if links[j].absolute
    ]
    if mover in inside:
        fixed = []
    if any(links[j].absolute and not links[j].free for j in inside):
        return fixed
    return [*fixed, (MOVER if mover in inside else LINE, 0.0)]


def _sides(on_line: Sequence[Run]) -> Iterator[tuple[float, ...]]:
    """Yield the ways to lay runs along a line: all on, or one on and all others back."""
    sizes = [abs(run.chord) for run in on_line]
    if all(run.longest for run in on_line):
        yield (1.0,) * len(sizes)
    for i, run in enumerate(on_line):
        alone = len(sizes) == 1
        others = all(other.longest for k, other in enumerate(on_line) if k != i)
        span = 2 * sizes[i] - sum(sizes)
        if run.shortest and others and span > TINY and not (alone and run.longest):
            yield tuple(1.0 if k == i else -1.0 for k in range(len(sizes)))


def _face(
    layout: Sequence[Run],
    kinds: Sequence[tuple[int, float]],
    sides: Sequence[float],
) -> Face:
    place, aimed, chord, span = 0j, 0j, 0j, 0.0
    link_kinds: list[int] = []
    turns: list[float] = []
    left = iter(sides)
    for run, (kind, fixed) in zip(layout, kinds):
        heading = fixed
        if kind == LINE:
            side = next(left)
            span += side * abs(run.chord)
            heading = -phase_of(run.chord) + (math.pi if side < 0 else 0.0)
        elif kind == FIXED:
            place += run.chord * rect(1.0, heading)
        elif kind == AIMED:
            aimed = run.chord * rect(1.0, heading)
        else:
            chord = run.chord
        link_kinds += [kind] * len(run.turns)
        turns += [heading + turn for turn in run.turns]
    return Face(place, aimed, chord, span, tuple(link_kinds), tuple(turns))


def _may_hold(links: Sequence[Link], begin: int, face: Face) -> bool:
    """Whether the limits allow what is known of a face, whatever the target."""
    for i, (kind, turn) in enumerate(zip(face.kinds, face.turns)):
        link = links[begin + i]
        if kind == FIXED and link.absolute and not _fits(link.limits, turn):
            return False
        if i and kind == face.kinds[i - 1]:
            bends = link.bends if link.absolute else link.limits
            if not _fits(bends, turn - face.turns[i - 1]):
                return False
    return True


def _fits(limits: Sequence[float], angle: float) -> bool:
    """Whether a turn more or less brings an angle within the limits."""
    if not limits:
        return True
    turns = math.ceil((limits[0] - SLACK - angle) / TAU)
    return angle + TAU * turns <= limits[len(limits) - 1] + SLACK


class FaceTable:
    """Faces as tables that C reads.

    Attributes:
        count: how many links the chain has.
        first: where the faces of each mover begin, and where those of the last one end.
        place: of each face, x and y; and so aimed and chord.
        span: of each face.
        size: the length of each chord; direction: its heading.
        kinds: of each face and link; and so turns.
    """

    def __init__(self, links: Sequence[Link], groups: Sequence[tuple[int, Sequence[Face]]]) -> None:
        """Lay them out: for each group, from which link on they are, and the faces."""
        self.count = len(links)
        rows = [face for _, group in groups for face in group]
        first = [0]
        kinds, turns = [], []
        for begin, group in groups:
            first.append(first[len(first) - 1] + len(group))
            for face in group:
                kinds += [FIXED] * begin
                kinds += face.kinds
                turns += [0.0] * begin
                turns += face.turns
        self.kept: tuple[Any, ...] = (
            array('i', first),
            array('i', kinds),
            array('d', [part for row in rows for part in (row.place.real, row.place.imag)]),
            array('d', [part for row in rows for part in (row.aimed.real, row.aimed.imag)]),
            array('d', [abs(row.chord) for row in rows]),
            array('d', [phase_of(row.chord) for row in rows]),
            array('d', [row.span for row in rows]),
            array('d', turns),
        )
        self.first = integers(self.kept[0])
        self.kinds = integers(self.kept[1])
        self.place = doubles(self.kept[2])
        self.aimed = doubles(self.kept[3])
        self.size = doubles(self.kept[4])
        self.direction = doubles(self.kept[5])
        self.span = doubles(self.kept[6])
        self.turns = doubles(self.kept[7])


class FaceTables:
    """All tables of a chain; those for tip angles are made when they are needed.

    Attributes:
        deep: from which joint on there are faces: all that there are, if it is 0.
        points: the faces with each joint for a mover and, last, those without one.
        angles: those with each joint for a mover and the tip angle; last, with the last run.
        low: the least heading of the last link that limits leave; high: the largest.
    """

    def __init__(self, links: Sequence[Link]) -> None:
        self.links = links
        self.deep = first_with_faces(links)
        self.points = self._table(False)
        self.angles: Any = None
        low, high = 0.0, 0.0
        for link in links:
            if link.absolute:
                least, *_, most = link.bends * 2 or (-math.inf, math.inf)
                low, high = max(link.lower, low + least), min(link.upper, high + most)
            else:
                low, high = low + link.lower, high + link.upper
        self.low, self.high = low, high

    def prepare_angles(self) -> None:
        """Make the table for tip angles."""
        if self.angles is None:
            self.angles = self._table(True)

    def _table(self, aimed: bool) -> FaceTable:
        links, groups = self.links, []
        for k in range(len(links)):
            may_move = k >= self.deep and links[k].free
            moved = faces(links, k, k, aimed) if may_move else ()
            groups.append((k, list(moved)))
        rest = faces(links, 0, len(links) - 1 if aimed else None) if self.deep == 0 else ()
        return FaceTable(links, [*groups, (0, list(rest))])


class Faces:
    """Tries the faces of a chain for a target, those for tip angles if it is aimed.

    Attributes:
        side: +1 or -1 if the second of two joints is to bend to that side, else 0.
        found: the cost of the best pose; best: that pose.
        moved: the sum of all moves of the best pose; move: the largest.
        headings: of what a face is made of, by its kinds; started: of the mover at the start.
        wanted: the heading that is asked for.
    """

    def __init__(self, linkage: Linkage, tables: FaceTables, aimed: bool = False) -> None:
        self.linkage = linkage
        self.tables = tables
        self.table = tables.angles if aimed else tables.points
        self.side = 0
        self.found = FAR
        self.move = self.moved = 0.0
        self.heading = room()
        self.best = room()
        self.kept = room()
        self.headings = room([], 4)
        self.wanted = self.started = 0.0

    # --- what is asked ---

    def meet(self, target: complex, every: bool) -> bool:
        """Find poses with the tip at a target: of those that move the fewest joints, the least.

        There is none if and only if the target cannot be reached.

        Args:
            target: in reaches.
            every: whether to look on for poses that move more joints, but none so far.
        """
        self.found = FAR
        for mover in range(self.linkage.count - 1, self.tables.deep - 1, -1):
            self.linkage.stand(mover)
            self.started = self.linkage.start[mover]
            if not self.linkage.absolute[mover]:
                self.started += self.linkage.heading
            gap = target - self.linkage.pivot
            for face in range(self.table.first[mover], self.table.first[mover + 1]):
                self.close(face, gap, mover)
            if self.found < FAR and not every:
                return True
        return self.found < FAR

    def meet_at(self, target: complex, angle: float, every: bool) -> bool:
        """Put such a pose whose last link has a heading into the trial."""
        self.headings[AIMED] = angle
        if not self.meet(target, every):
            return False
        for j in range(self.linkage.count):
            self.linkage.trial[j] = self.best[j]
        return True

    def seek(self, target: complex, enough: float) -> None:
        """Find the pose whose tip is closest to a target, if it is closer than what there is."""
        self.found, self.move = enough, FAR
        self.linkage.stand(0)
        count = self.linkage.count
        for face in range(self.table.first[count], self.table.first[count + 1]):
            ahead = target - self.place(face)
            distance = abs(abs(ahead) - self.table.span[face])
            if distance <= self.found + SAME:
                self.headings[LINE] = phase(ahead)
                if self.fit(face, 0):
                    self.keep_closest(distance)

    def seek_angle(self, target: complex, angle: float, enough: float) -> None:
        """Find the pose with the tip at a target whose last link is closest to a heading."""
        count = self.linkage.count
        for end in range(2):
            bound = self.tables.high if end else self.tables.low
            if math.isinf(bound):
                continue
            off = abs(near_zero(bound - angle))
            if off < enough and self.meet_at(target, bound, False):
                enough = off
                for j in range(count):
                    self.kept[j] = self.best[j]
        for j in range(count):
            self.best[j] = self.kept[j]
        self.found = enough
        self.wanted = angle
        self.linkage.stand(0)
        for face in range(self.table.first[count], self.table.first[count + 1]):
            self.close(face, target, 0)

    # --- how ---

    def place(self, face: Index) -> complex:
        """Return the constant vectors of a face."""
        aimed = self.table.aimed[2 * face] + 1j * self.table.aimed[2 * face + 1]
        fixed = self.table.place[2 * face] + 1j * self.table.place[2 * face + 1]
        return fixed + aimed * unit(self.headings[AIMED])

    def close(self, face: Index, gap: complex, begin: Index) -> None:
        """Let mover and line of a face lead there: two sides of a triangle."""
        ahead = gap - self.place(face)
        away = abs(ahead)
        size, span = self.table.size[face], self.table.span[face]
        touching = TOUCHING if span > TINY and size > TINY else SLACK
        if away > size + span + touching or away < abs(size - span) - touching:
            return
        toward = phase(ahead)
        if away <= TINY:
            self.lean(face, begin, self.started, self.started + math.pi)
        elif size <= TINY or span <= TINY:
            self.lean(face, begin, self.started if size <= TINY else toward, toward)
        else:
            along: float = 0.0
            # From the end at which the shorter one is, so that its angle is exact.
            if span < size:
                behind = ((away - size) * (away + size) + span * span) / (2 * away)
                across = math.sqrt(max(0.0, span * span - behind * behind))
                along = away - behind
            else:
                along = ((away - span) * (away + span) + size * size) / (2 * away)
                across = math.sqrt(max(0.0, size * size - along * along))
                behind = away - along
            turn, back = math.atan2(across, along), math.atan2(across, behind)
            self.lean(face, begin, toward + turn, toward - back)
            self.lean(face, begin, toward - turn, toward + back)

    def lean(self, face: Index, begin: Index, mover: float, line: float) -> None:
        """Try a face with the mover's chord and the line at headings; keep it if it is better."""
        self.headings[MOVER] = mover - self.table.direction[face]
        self.headings[LINE] = line
        if not self.fit(face, begin):
            return
        if begin == 0 and face >= self.table.first[self.linkage.count]:
            self.keep_angle()
        else:
            self.keep_move()

    def fit(self, face: Index, begin: Index) -> bool:
        """Try the joints of a face as its headings are; tell whether limits allow it."""
        row = face * self.linkage.count
        before: float = self.linkage.heading
        for j in range(begin, self.linkage.count):
            heading = self.headings[self.table.kinds[row + j]] + self.table.turns[row + j]
            value = heading if self.linkage.absolute[j] else heading - before
            if not self.linkage.fit(j, value) or not self.linkage.bends_to(j, heading - before):
                return False
            self.heading[j] = heading
            before = heading
        return True

    def keep_move(self) -> None:
        """Keep the trial if it moves less."""
        cost = self.linkage.move(self.linkage.count)
        if self.side != 0 and not self.is_on_side():
            cost += WRONG_SIDE
        same = self.found + SAME_MOVE
        if cost < self.found - SAME_MOVE or (
            cost < same and self.linkage.moved < self.moved - SAME_MOVE
        ):
            self.keep(cost)
            self.moved = self.linkage.moved

    def keep_closest(self, distance: float) -> None:
        """Keep the trial if it is closer, or as close and moves less."""
        move = self.linkage.move(self.linkage.count)
        if distance < self.found - SAME or move < self.move - SAME_MOVE:
            self.keep(distance)
            self.move = move

    def keep_angle(self) -> None:
        """Keep the trial if the heading of its last link is closer."""
        off = abs(near_zero(self.heading[self.linkage.count - 1] - self.wanted))
        if off < self.found:
            self.keep(off)

    def keep(self, cost: float) -> None:
        """Keep the trial."""
        self.found = cost
        for j in range(self.linkage.count):
            self.best[j] = self.linkage.trial[j]

    def is_on_side(self) -> bool:
        """Whether the second of two joints bends to the side that is asked for."""
        return self.side * math.sin(self.heading[1] - self.heading[0]) >= 0
