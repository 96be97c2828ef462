"""Solves for the chain in a plane that a turntable carries: targets in space, one or many.

A target has a radius, a bearing and a height about the axis. One turn brings the plane to it in
front of the axis, another one over the back. Where limits forbid both, the turn is searched at
which the chain comes closest in space.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from ik2d_ros.kinematics.kernel import codes, points
from ik2d_ros.kinematics.kernel.chain_solver import Answer, BatchSolver, ChainSolver, Task
from ik2d_ros.kinematics.kernel.linkage import Index, room

SAME = 1e-9  # Reaches or rad; what differs by less is equal.
EXACT = 1e-13  # Reaches; so near a pose is at its place in the plane, and a target at the annulus.
ROUNDING = 1e-15  # Of a radius, as a share of the sizes that it comes from.
TINY = 1e-30  # Square reaches, that do not count.
SHORTEST = 1e-6  # A unit vector's projection that is shorter has no direction.
BESIDE = 0.5 * math.pi  # rad; so far from the plane's normal is whatever is in the plane.


class Carried(NamedTuple):
    """How a turntable carries a plane.

    With the turntable at 0, a point z of the plane is ``out + i up = base + along * conj(z)``: out
    from the axis and up along it, both in the plane; and ``upright * beside - lean * up`` across.

    Attributes:
        base: where the chain begins, in m, its tool aside.
        along: the plane's x-axis, a unit vector.
        lean: sine of the angle between the axis and the plane.
        beside: how far the plane stands beside the axis in m.
        lower: the smallest turn in rad, -inf for none.
        upper: the largest.
    """

    base: complex
    along: complex
    lean: float
    beside: float
    lower: float
    upper: float


class TurntableSolver(BatchSolver):
    """Solves for one arm with a turntable. Lengths are in reaches.

    Attributes:
        turn: of the turntable in the last answer, in rad.
        positions: of the chain.
        x: where the tip is then in the plane, in m; and so y.
        angle: of the last link's frame in the plane, in rad.
        off: how far that is from the one asked for.
        passes: of the chain's solver.
    """

    def __init__(self, chain: ChainSolver, carried: Carried) -> None:
        super().__init__()
        self.lock = chain.lock
        self.chain = chain
        self.solver = chain.solver
        self.carried = carried
        self.along = carried.along
        self.base = carried.base / chain.size + self.along * chain.tool.conjugate()
        self.lean, self.upright = carried.lean, math.sqrt(1 - carried.lean * carried.lean)
        self.beside = carried.beside / chain.size
        self.lower, self.upper = carried.lower, carried.upper
        outer = 1 + abs(self.base)
        self.farthest = math.hypot(outer, abs(self.beside) + abs(self.lean) * outer)
        self.positions = room()
        self.ask(codes.NO_ANGLE, 0.0)

    def twin(self) -> TurntableSolver:
        """Return another solver for the same arm, for another thread."""
        return TurntableSolver(self.chain.twin(), self.carried)

    # --- what is asked ---

    def ask(self, angle: float, slack: float) -> None:
        """Ask for an angle of the last link's frame in the plane, or NO_ANGLE for any.

        Args:
            angle: in rad.
            slack: how far from it counts as reached, in rad.
        """
        self.wish, self.slack, self.pointing = angle, slack, False

    def ask_to_point(self, out: float, across: float, up: float, slack: float) -> None:
        """Ask for the x-axis of the last link's frame to point in a direction.

        Args:
            out: of a unit vector, seen from the axis with the turntable at 0.
            across: of it.
            up: of it.
            slack: how far from it, projected into the plane, counts as reached, in rad.
        """
        self.sideways, self.upwards = out + 1j * across, up
        self.wish, self.slack, self.pointing = 0.0, slack, True

    def wish_at(self, turn: float) -> float:
        """Return the angle asked for in the plane at a turn; FAR where the direction gives none."""
        if not self.pointing:
            return self.wish
        level = self.sideways * points.unit(-turn)
        up = self.upright * self.upwards - self.lean * level.imag
        if math.hypot(level.real, up) < SHORTEST:
            return points.FAR
        return points.phase((level.real - 1j * up) * self.along)

    def off_at(self, turn: float) -> float:
        """Return how far the chain's pose is from the angle asked for at a turn, in rad."""
        if self.wish == codes.NO_ANGLE:
            return 0.0
        wish = self.wish_at(turn)
        return BESIDE if wish == points.FAR else abs(points.near_zero(self.chain.angle - wish))

    def aim(self, out: float, across: float, height: float, start: float) -> None:
        """Take a target, seen from the axis with the turntable at 0, and a turn to move from."""
        away = math.hypot(math.hypot(out, across), height)
        metre = 1 / max(self.chain.size, away / (points.FARTHEST * self.farthest))
        out, across, height = metre * out, metre * across, metre * height
        self.radius, self.bearing = math.hypot(out, across), math.atan2(across, out)
        self.height, self.start = height, points.clamp(start, self.lower, self.upper)
        self.across = (self.beside - self.lean * height) / self.upright
        gap = abs(self.across)
        self.ahead = math.sqrt(max(0.0, (self.radius - gap) * (self.radius + gap)))
        rounding = ROUNDING * (self.farthest + self.radius + abs(height))
        self.same = SAME + rounding
        self.missed = gap - self.radius > rounding
        self.front = self.bearing - math.atan2(self.across, self.ahead)
        self.back = self.bearing - math.atan2(self.across, -self.ahead)
        if self.radius <= rounding:  # On the axis every turn is as good.
            self.front = self.back = self.start

    # --- how the turntable carries the plane ---

    def flat(self, out: float, across: float) -> complex:
        """Return the target as the chain sees it, from a plane turned until it is so far across."""
        up = self.upright * self.height - self.lean * across
        return (out + 1j * up - self.base).conjugate() * self.along

    def seen(self, turn: float) -> complex:
        """Return the target, projected into the plane at a turn, as the chain sees it."""
        apart = self.bearing - turn
        return self.flat(self.radius * math.cos(apart), self.radius * math.sin(apart))

    def square_at(self, turn: float, target: complex) -> float:
        """Return the square of the tip's distance in space from a target seen at a turn."""
        across = self.radius * math.sin(self.bearing - turn)
        aside = self.upright * across + self.lean * self.height - self.beside
        return points.norm(target - self.solver.tip()) + aside * aside

    def turn_to(self, tip: complex) -> float:
        """Return the allowed turn at which a tip in the plane is closest to the target."""
        there = self.base + self.along * tip.conjugate()
        across = self.upright * self.beside - self.lean * there.imag
        return self.allowed(self.bearing - math.atan2(across, there.real))

    def allowed(self, turn: float) -> float:
        """Return a turn, whole turns aside, as near to the start as the limits let it be.

        Where they forbid it, the limit that is next to it.
        """
        turn = self.start + points.near_zero(turn - self.start)
        if turn > self.upper:
            turn -= points.TAU * math.ceil((turn - self.upper) / points.TAU)
        elif turn < self.lower:
            turn += points.TAU * math.ceil((self.lower - turn) / points.TAU)
        if self.lower <= turn <= self.upper:
            return turn
        to_lower = abs(points.near_zero(turn - self.lower))
        return self.lower if to_lower < abs(points.near_zero(turn - self.upper)) else self.upper

    # --- the two turns that bring the plane to the target ---

    def reach(self, tolerance: float) -> Index:
        """Bring the tip to the target, or as close as it can come; return the status.

        Of two poses with the tip there, it keeps the one at the angle asked for, else the one that
        moves less.

        Args:
            tolerance: distance in m that counts as reached.
        """
        self.square = self.move = self.off = points.FAR
        self.passes, self.stopped = 0, False
        if (
            abs(self.allowed(self.back) - self.start)
            < abs(self.allowed(self.front) - self.start) - SAME
        ):
            self.meet(self.back, -self.ahead, tolerance)
            self.meet(self.front, self.ahead, tolerance)
        else:
            self.meet(self.front, self.ahead, tolerance)
            self.meet(self.back, -self.ahead, tolerance)
        if self.move == points.FAR:
            self.search()
            if math.sqrt(self.square) > tolerance / self.chain.size:
                return self.why_not()
            self.stopped = True  # It has not looked for an angle.
        if self.off <= self.slack:
            return codes.REACHED
        return codes.NOT_CONVERGED if self.stopped else codes.TIP_ANGLE

    def meet(self, wanted: float, ahead: float, tolerance: float) -> None:
        """Keep the pose at one of the two turns if it reaches the target, and is better."""
        turn = self.allowed(wanted)
        wish = self.wish_at(turn)
        if wish == points.FAR or (
            self.off <= self.slack and abs(turn - self.start) > self.move - SAME
        ):
            return
        target = self.seen(turn)
        if abs(points.near_zero(turn - wanted)) < SAME and not self.missed:
            target = self.flat(ahead, self.across)  # Without what a turn rounds.
        size, tip = self.chain.size, target + self.chain.tool
        status = self.chain.reach(size * tip.real, size * tip.imag, wish, tolerance, self.slack)
        if status == codes.NOT_CONVERGED:
            self.stopped = True
        self.passes += self.solver.passes
        square, move = self.square_at(turn, target), self.move_to(turn)
        if math.sqrt(square) <= tolerance / size and self.is_better(self.off_at(turn), move):
            self.keep(turn, square, move)

    def is_better(self, off: float, move: float) -> bool:
        """Tell whether a pose that reaches the target is better than the one that was kept."""
        off, least = max(off, self.slack), max(self.off, self.slack)
        return off < least - SAME or (off < least + SAME and move < self.move - SAME)

    def move_to(self, turn: float) -> float:
        """Return the largest move to the chain's pose at a turn, in rad or reaches."""
        largest: float = abs(turn - self.start)
        for j in range(self.solver.linkage.count):
            move = self.chain.sign[j] * (self.chain.positions[j] - self.chain.start[j])
            largest = max(largest, abs(move))
        return largest

    def keep(self, turn: float, square: float, move: float) -> None:
        """Keep the chain's pose."""
        self.turn, self.square, self.move, self.off = turn, square, move, self.off_at(turn)
        self.x, self.y, self.angle = self.chain.x, self.chain.y, self.chain.angle
        for j in range(self.solver.linkage.count):
            self.positions[j] = self.chain.positions[j]

    def why_not(self) -> Index:
        """Return why no pose has its tip at the target."""
        front = abs(self.flat(self.ahead, self.across))
        back = abs(self.flat(-self.ahead, self.across))
        front_misses = max(front - self.solver.outer, self.solver.inner - front)
        back_misses = max(back - self.solver.outer, self.solver.inner - back)
        if min(front_misses, back_misses) > EXACT * self.farthest:
            nearer = front if front_misses <= back_misses else back
            return codes.TOO_FAR if nearer > self.solver.outer else codes.TOO_NEAR
        if self.missed:
            return codes.TOO_NEAR
        return (
            codes.NOT_CONVERGED
            if self.stopped or self.square <= EXACT * EXACT
            else codes.JOINT_LIMIT
        )

    # --- the closest pose ---

    def search(self) -> None:
        """Find the pose that is closest in space."""
        method = self.solver.method
        self.solver.method = codes.MEETING
        self.settle(self.front)
        self.settle(self.back)
        low, high = self.lower, self.upper
        if high - low > points.TAU:
            low = self.bearing - math.pi
            high = low + points.TAU
        self.between(low, self.probe(low), high, self.probe(high))
        self.solver.method = method

    def between(self, low: float, at_low: float, high: float, at_high: float) -> None:
        """Look for closer poses at turns between two, as long as there may be any.

        Of any pose the square of the distance is a sinusoid of the turn. Its second derivative is
        at most the double of the product of both radii, the tip's and the target's, and the radius
        of a closer tip is larger by less than the distance. So with that as `bend`, the least
        square of all less ``bend / 2`` times the turn's square is concave, and above its chord.
        """
        distance = math.sqrt(self.square)
        bend = 2 * self.radius * min(self.farthest, self.radius + distance)
        bow = bend * (high - low) * (high - low)
        if bow < TINY or high - low < SAME:
            return
        share = points.clamp(0.5 - (at_high - at_low) / bow, 0.0, 1.0)
        least = at_low + share * (at_high - at_low) - 0.5 * bow * share * (1 - share)
        if least < self.square - 2 * self.same * distance:
            middle = 0.5 * (low + high)
            at_middle = self.probe(middle)
            self.between(low, at_low, middle, at_middle)
            self.between(middle, at_middle, high, at_high)

    def probe(self, turn: float) -> float:
        """Return the square of the least distance at a turn; go on from there if none was less."""
        square = self.look(turn)
        if square < self.square - 2 * self.same * math.sqrt(self.square):
            self.settle(turn)
        return square

    def look(self, turn: float) -> float:
        """Return the square of the least distance at a turn."""
        target = self.seen(turn)
        self.solver.point(target, EXACT)
        return self.square_at(turn, target)

    def settle(self, turn: float) -> None:
        """Let turntable and chain follow each other to the closest pose about; keep it if best.

        Among equally close poses, the one that moves least is best.
        """
        turn = self.allowed(turn)
        square = self.look(turn)
        for _ in range(50):
            following = self.turn_to(self.solver.tip())
            now = self.look(following)
            if now >= square:
                break
            turn, square = following, now
        square = self.look(turn)
        self.chain.place()
        move = self.move_to(turn)
        less = 2 * self.same * math.sqrt(square)
        if square < self.square - less or (square < self.square + less and move < self.move - SAME):
            self.keep(turn, square, move)

    # --- for Python ---

    def solve(
        self,
        target: tuple[float, float, float],
        start: Sequence[float],
        angle: float | tuple[float, float, float],
        tolerances: tuple[float, float],
        options: tuple[int, int, int],
    ) -> Answer:
        """Solve for one target.

        Args:
            target: seen from the axis with the turntable at 0: out, across and along it, in m.
            start: (n + 1,) positions to move from.
            angle: of the last link's frame in the plane in rad, NO_ANGLE for any; or the direction
                of its x-axis, a unit vector seen as the target is.
            tolerances: distance in m, and from the angle in rad, that count as reached.
            options: as for :meth:`.ChainSolver.choose`.

        Returns:
            As there, with the turntable before the chain, and the tip in the plane.
        """
        out, across, height = target
        method, side, most = options
        with self.lock:
            self.chain.choose(method, side, most)
            if isinstance(angle, tuple):
                self.ask_to_point(*angle, tolerances[1])
            else:
                self.ask(angle, tolerances[1])
            if self.wish != codes.NO_ANGLE:
                self.solver.prepare_angles()
            for j in range(self.solver.linkage.count):
                self.chain.begin(j, start[j + 1])
            self.aim(out, across, height, start[0])
            status = self.reach(tolerances[0])
            positions = [self.turn, *[self.positions[j] for j in range(self.solver.linkage.count)]]
            error = self.chain.size * math.sqrt(self.square)
            return positions, (self.x, self.y), error, status, self.passes, self.angle, self.off

    def set_up(self, task: Task, options: tuple[int, int, int]) -> None:
        """Make ready for a task, its targets seen from the axis."""
        self.chain.set_up(task, options)
        self.ask(codes.NO_ANGLE, task.slack)

    def answer(self, task: Task, i: Index) -> None:
        """Solve for target i of a task."""
        count, begin = self.solver.linkage.count, task.stride * i
        for j in range(count):
            self.chain.begin(j, task.start[begin + j + 1])
        if task.aimed:
            self.wish = task.angle[i]
        out, across, height = task.target[3 * i], task.target[3 * i + 1], task.target[3 * i + 2]
        self.aim(out, across, height, task.start[begin])
        task.status[i] = self.reach(task.tolerance)
        task.error[i] = self.chain.size * math.sqrt(self.square)
        task.angle_error[i] = self.off
        task.position[(count + 1) * i] = self.turn
        for j in range(count):
            task.position[(count + 1) * i + j + 1] = self.positions[j]
