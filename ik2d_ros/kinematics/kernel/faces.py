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
from typing import Any, NamedTuple

from ik2d_ros.kinematics.kernel import codes, points
from ik2d_ros.kinematics.kernel.linkage import Index, Link, Linkage, Search, leading, room

MOST_FACES = 20_000  # Ways to hold joints that are all tried.

# How the headings of a run are known: constant, with the mover, along the line, from the tip angle.
FIXED, MOVER, LINE, AIMED = 0, 1, 2, 3


class Run(NamedTuple):
    """Links that follow each other, rigid among themselves.

    Attributes:
        first: the first of them.
        turns: the heading of each, seen from the first one.
        chord: from its first pivot to its end, seen from the first link.
    """

    first: int
    turns: tuple[float, ...]
    chord: complex


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

    place: complex = 0j
    aimed: complex = 0j
    chord: complex = 0j
    span: float = 0.0
    kinds: tuple[int, ...] = ()
    turns: tuple[float, ...] = ()


def first_with_faces(links: Sequence[Link]) -> int:
    """Return from which joint on all faces can be tried: 0 for all, their number for none."""
    if any(link.slides for link in links):
        return len(links)
    ways, first = 1, len(links)
    while first and ways <= MOST_FACES:
        first -= 1
        ways *= 1 + len(links[first].limits) + (links[first].absolute and len(links[first].bends))
    return first + (ways > MOST_FACES)


def runs(links: Sequence[Link], run: Run) -> Iterator[Run]:
    """Yield the runs that a run can grow to."""
    end = run.first + len(run.turns)
    if end == len(links) or links[end].absolute or links[end].free:
        yield run
    if end == len(links):
        return
    link = links[end]
    for bend in link.bends if link.absolute else link.limits:
        turn = run.turns[len(run.turns) - 1] + bend
        onward = run.chord + rect(link.fixed, turn)
        yield from runs(links, Run(run.first, (*run.turns, turn), onward))


def faces(
    links: Sequence[Link],
    begin: int,
    mover: int | None = None,
    aimed: bool = False,
    face: Face | None = None,
) -> Iterator[Face]:
    """Yield the faces of the links from one on, those before it standing somewhere.

    Args:
        links: all of the chain.
        begin: the first link.
        mover: a link whose run turns freely; None for no mover.
        aimed: whether the last link has the tip angle.
        face: of links from the first one on, to be continued.
    """
    face = face or Face()
    first = begin + len(face.turns)
    if first == len(links):
        if face.span >= 0:
            yield face
        return
    for run in runs(links, Run(first, (0.0,), complex(links[first].fixed))):
        for kind, heading in _kinds(links, run, mover, aimed):
            onward = _with_run(face, run, kind, heading)
            if _may_hold(links, begin, onward, len(face.turns)):
                yield from faces(links, begin, mover, aimed, onward)


def _kinds(
    links: Sequence[Link], run: Run, mover: int | None, aimed: bool
) -> list[tuple[int, float]]:
    """Return how the heading of a run can be known, and that of its first link for that."""
    inside = range(run.first, run.first + len(run.turns))
    if aimed and inside.stop == len(links):
        return [] if mover in inside else [(AIMED, -run.turns[len(run.turns) - 1])]
    fixed = [
        (FIXED, value - turn)
        for j, turn in zip(inside, run.turns)
        for value in links[j].limits
        if links[j].absolute and mover not in inside
    ]
    if any(links[j].absolute and not links[j].free for j in inside):
        return fixed
    if mover in inside:
        return [(MOVER, 0.0)]
    toward = -phase_of(run.chord)
    return [*fixed, (LINE, toward), (LINE, toward + math.pi)]


def _with_run(face: Face, run: Run, kind: int, heading: float) -> Face:
    """Return a face with one more run, whose first link has a heading."""
    chord = run.chord * rect(1.0, heading)
    return Face(
        face.place + (chord if kind == FIXED else 0j),
        face.aimed + (chord if kind == AIMED else 0j),
        face.chord + (chord if kind == MOVER else 0j),
        face.span + (chord.real if kind == LINE else 0.0),
        face.kinds + (kind,) * len(run.turns),
        face.turns + tuple(heading + turn for turn in run.turns),
    )


def _may_hold(links: Sequence[Link], begin: int, face: Face, first: int) -> bool:
    """Tell whether the limits allow the links of a face from one on, whatever the target."""
    for i in range(first, len(face.turns)):
        link, kind, turn = links[begin + i], face.kinds[i], face.turns[i]
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
    turns = math.ceil((limits[0] - points.SLACK - angle) / points.TAU)
    return angle + points.TAU * turns <= limits[len(limits) - 1] + points.SLACK


class FaceTable:
    """Faces as tables that C reads.

    Attributes:
        count: how many links they have.
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
        self.first = array('i', first)
        self.kinds = array('i', kinds)
        self.place = array('d', [part for row in rows for part in (row.place.real, row.place.imag)])
        self.aimed = array('d', [part for row in rows for part in (row.aimed.real, row.aimed.imag)])
        self.size = array('d', [abs(row.chord) for row in rows])
        self.direction = array('d', [phase_of(row.chord) for row in rows])
        self.span = array('d', [row.span for row in rows])
        self.turns = array('d', turns)


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
        self.points = self._table(links[: leading(links)], False)
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
            self.angles = self._table(self.links, True)

    def _table(self, links: Sequence[Link], aimed: bool) -> FaceTable:
        groups = []
        for k in range(len(links)):
            may_move = k >= self.deep and links[k].free
            moved = faces(links, k, k, aimed) if may_move else ()
            groups.append((k, list(moved)))
        rest = faces(links, 0, len(links) - 1 if aimed else None) if self.deep == 0 else ()
        return FaceTable(links, [*groups, (0, list(rest))])


class Faces(Search):
    """Tries the faces of a chain for a target, those for tip angles if it is aimed.

    Attributes:
        headings: of what a face is made of, by its kinds; started: of the mover at the start.
        wanted: the heading that is asked for.
    """

    def __init__(self, linkage: Linkage, tables: FaceTables, aimed: bool = False) -> None:
        super().__init__(linkage)
        self.tables = tables
        self.table = tables.angles if aimed else tables.points
        self.heading = room()
        self.kept = room()
        self.headings = room([], 4)
        self.wanted = self.started = 0.0

    # --- what is asked ---

    def meet(self, target: complex, angle: float, every: bool, enough: float) -> bool:
        """Let the mover be the last joint first.

        There is no pose for any mover if and only if the target cannot be reached.
        """
        self.found, self.moved = enough, 0.0
        self.linkage.rest(self.table.count)
        if angle != codes.NO_ANGLE:
            self.headings[AIMED] = angle
        for mover in range(self.table.count - 1, self.tables.deep - 1, -1):
            self.linkage.stand(mover)
            self.started = self.linkage.start[mover]
            if not self.linkage.absolute[mover]:
                self.started += self.linkage.heading
            gap = target - self.linkage.pivot
            for face in range(self.table.first[mover], self.table.first[mover + 1]):
                self.close(face, gap, mover)
            if self.found < enough and not every:
                return True
        return self.found < enough

    def seek(self, target: complex, enough: float) -> None:
        """Lay the line of each face towards the target."""
        self.found, self.move = enough, points.FAR
        self.linkage.stand(0)
        count = self.table.count
        self.linkage.rest(count)
        for face in range(self.table.first[count], self.table.first[count + 1]):
            ahead = target - self.place(face)
            distance = abs(abs(ahead) - self.table.span[face])
            if distance <= self.found + points.SAME:
                self.headings[LINE] = points.phase(ahead)
                if self.fit(face, 0):
                    self.keep_closest(distance)

    def seek_angle(self, target: complex, angle: float, enough: float) -> None:
        """Let the last run be the mover, or be at the end of the headings that limits leave."""
        count = self.table.count
        for end in range(2):
            bound = self.tables.high if end else self.tables.low
            if math.isinf(bound):
                continue
            off = abs(points.near_zero(bound - angle))
            if off < enough and self.meet(target, bound, False, points.FAR):
                enough = off
                self.linkage.copy(self.best, self.kept)
        self.linkage.copy(self.kept, self.best)
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
        return fixed + aimed * points.unit(self.headings[AIMED])

    def close(self, face: Index, gap: complex, begin: Index) -> None:
        """Let mover and line of a face lead there: two sides of a triangle."""
        ahead = gap - self.place(face)
        away = abs(ahead)
        size, span = self.table.size[face], self.table.span[face]
        touching = points.TOUCHING if span > points.TINY and size > points.TINY else points.SLACK
        if away > size + span + touching or away < abs(size - span) - touching:
            return
        toward = points.phase(ahead)
        if away <= points.TINY:
            self.lean(face, begin, self.started, self.started + math.pi)
        elif size <= points.TINY or span <= points.TINY:
            self.lean(face, begin, self.started if size <= points.TINY else toward, toward)
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
        if begin == 0 and face >= self.table.first[self.table.count]:
            self.keep_angle()
        else:
            self.keep_move()

    def fit(self, face: Index, begin: Index) -> bool:
        """Try the joints of a face as its headings are; tell whether limits allow it."""
        row = face * self.table.count
        before: float = self.linkage.heading
        for j in range(begin, self.table.count):
            heading = self.headings[self.table.kinds[row + j]] + self.table.turns[row + j]
            value = heading if self.linkage.absolute[j] else heading - before
            if not self.linkage.fit(j, value) or not self.linkage.bends_to(j, heading - before):
                return False
            self.heading[j] = heading
            before = heading
        return True

    def keep_angle(self) -> None:
        """Keep the trial if the heading of its last link is closer."""
        off = abs(points.near_zero(self.heading[self.table.count - 1] - self.wanted))
        if off < self.found:
            self.keep(off)
