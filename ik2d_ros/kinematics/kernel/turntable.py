"""Solves for the chain in a plane that a turntable carries: targets in space, one or many.

A target has a radius, a bearing and a height about the axis. One turn brings the plane to it in
front of the axis, another one over the back. Where limits forbid both, the turn is searched at
which the chain comes closest in space.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ik2d_ros.kinematics.kernel import codes, points
from ik2d_ros.kinematics.kernel.chain_solver import ChainSolver, Direction, TargetSolver
from ik2d_ros.kinematics.kernel.linkage import Index

SAME = 1e-9  # Reaches or rad; values that differ by less are equal.
EXACT = 1e-13  # Reaches; tolerance of a pose in the plane, and of a target at the annulus.
ROUNDING = 1e-15  # Error of a radius, as a share of the lengths it is computed from.
SHORTEST = 1e-6  # A unit vector's projection that is shorter has no direction.
BESIDE = 0.5 * math.pi  # rad; the angle between the plane's normal and any direction in it.


class Carried(NamedTuple):
    """How a turntable carries a plane.

    With the turntable at 0, a point z of the plane is ``out + i up = base + along * conj(z)``: out
    from the axis and up along it, both in the plane; and ``upright * beside - lean * up`` across.

    Attributes:
        base: where the chain begins, in m, without its tool.
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


class TurntableSolver(TargetSolver):
    """Solves for one arm with a turntable. Lengths are in reaches.

    The turntable's position comes first.

    Attributes:
        front: the turn that brings the plane to the target in front of the axis.
        back: the turn that brings it there over the back.
        square: of the distance of the closest pose that the search has kept, in reaches.
    """

    def __init__(self, chain: ChainSolver, carried: Carried) -> None:
        super().__init__(chain.joints + 1, chain.lock)
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
        self.pointing = False

    def twin(self) -> TurntableSolver:
        """Return another solver for the same arm, for another thread."""
        return TurntableSolver(self.chain.twin(), self.carried)

    # --- what is asked ---

    def set_up(self, angle: float | Direction, options: tuple[int, int, int]) -> None:
        """Make ready for targets seen from the axis with the turntable at 0: out, across, along.

        So is a direction.
        """
        self.chain.set_up(angle, options)
        self.pointing = isinstance(angle, tuple)
        if isinstance(angle, tuple):
            out, across, self.upwards = angle
            self.sideways = complex(out, across)

    def begin(self, j: Index, position: float) -> None:
        """Start with a joint at a position, the turntable's first."""
        if j == 0:
            self.start = points.clamp(position, self.lower, self.upper)
        else:
            self.chain.begin(j - 1, position)

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

    def aim(self, place: complex, height: float) -> None:
        """Take a target, seen from the axis with the turntable at 0: out and across, and along."""
        self.place, self.rise = place, height
        out, across = place.real, place.imag
        away = math.hypot(math.hypot(out, across), height)
        metre = 1 / max(self.chain.size, away / (points.FARTHEST * self.farthest))
        out, across, height = metre * out, metre * across, metre * height
        self.radius, self.bearing = math.hypot(out, across), math.atan2(across, out)
        self.height = height
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

    def aside(self, turn: float) -> float:
        """Return how far the target is from the plane at a turn."""
        across = self.radius * math.sin(self.bearing - turn)
        return self.upright * across + self.lean * self.height - self.beside

    def square_at(self, turn: float, target: complex) -> float:
        """Return the square of the tip's distance in space from a target seen at a turn."""
        aside = self.aside(turn)
        return points.norm(target - self.solver.tip()) + aside * aside

    def miss(self, turn: float) -> float:
        """Return how far the chain's tip is from the target at a turn, in m."""
        there = self.base + self.along * self.solver.tip().conjugate()
        across = self.upright * self.beside - self.lean * there.imag
        height = self.upright * there.imag + self.lean * self.beside
        level = (there.real + 1j * across) * points.unit(turn)
        beside = abs(self.place - self.chain.size * level)
        return math.hypot(beside, self.rise - self.chain.size * height)

    def floor(self, turn: float) -> float:
        """Return a lower bound of that square: the tip is in the plane, and in the annulus."""
        beside, aside = max(0.0, self.beyond(abs(self.seen(turn)))), self.aside(turn)
        return beside * beside + aside * aside

    def beyond(self, away: float) -> float:
        """Return how far a point of the plane is outside the chain's annulus, negative inside."""
        return max(away - self.solver.outer, self.solver.inner - away)

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

    def bring(self, at: complex, z: float, angle: float, tolerance: float, slack: float) -> Index:
        """Bring the tip to a target, or as close as it can come; return the status.

        Of two poses with the tip there, it keeps the one at the angle asked for, else the one that
        moves less.
        """
        self.aim(at, z)
        self.wish, self.slack = angle, slack
        self.square = self.move = self.angle_error = points.FAR
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
            if self.error > tolerance:
                return self.why_not()
            self.stopped = True  # It has not looked for an angle.
        if self.angle_error <= slack:
            return codes.REACHED
        return codes.NOT_CONVERGED if self.stopped else codes.TIP_ANGLE

    def meet(self, wanted: float, ahead: float, tolerance: float) -> None:
        """Keep the pose at one of the two turns if it reaches the target, and is better."""
        turn = self.allowed(wanted)
        wish = self.wish_at(turn)
        if wish == points.FAR or (
            self.angle_error <= self.slack and abs(turn - self.start) > self.move - SAME
        ):
            return
        target = self.seen(turn)
        if abs(points.near_zero(turn - wanted)) < SAME and not self.missed:
            target = self.flat(ahead, self.across)  # Without what a turn rounds.
        size = self.chain.size
        place = size * (target + self.chain.tool)
        status = self.chain.bring(place, 0.0, wish, tolerance, self.slack)
        if status == codes.NOT_CONVERGED:
            self.stopped = True
        self.passes += self.solver.passes
        move = self.move_to(turn)
        if self.miss(turn) <= tolerance and self.is_better(self.off_at(turn), move):
            self.keep(turn, move)

    def is_better(self, off: float, move: float) -> bool:
        """Tell whether a pose that reaches the target is better than the one that was kept."""
        is_right: bool = off <= self.slack
        if is_right != (self.angle_error <= self.slack):
            return is_right
        off, least = max(off, self.slack), max(self.angle_error, self.slack)
        return off < least - SAME or (off < least + SAME and move < self.move - SAME)

    def move_to(self, turn: float) -> float:
        """Return the largest move to the chain's pose at a turn, in rad or reaches."""
        largest: float = abs(turn - self.start)
        for j in range(self.chain.joints):
            move = self.chain.sign[j] * (self.chain.positions[j] - self.chain.start[j])
            largest = max(largest, abs(move))
        return largest

    def keep(self, turn: float, move: float) -> None:
        """Keep the chain's pose."""
        self.move, self.angle_error = move, self.off_at(turn)
        self.error = self.miss(turn)
        self.x, self.y, self.angle = self.chain.x, self.chain.y, self.chain.angle
        self.positions[0] = turn
        for j in range(self.chain.joints):
            self.positions[j + 1] = self.chain.positions[j]

    def why_not(self) -> Index:
        """Return why no pose has its tip at the target."""
        front = abs(self.flat(self.ahead, self.across))
        back = abs(self.flat(-self.ahead, self.across))
        nearer = front if self.beyond(front) <= self.beyond(back) else back
        if self.beyond(nearer) > EXACT * self.farthest:
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
        at_low = self.probe(low)
        # In parts that end where the plane points at the target, or away from it.
        halves = math.floor((low - self.bearing) / math.pi) + 1
        while low < high:
            turn = min(high, self.bearing + halves * math.pi)
            at_turn = self.probe(turn)
            self.between(low, at_low, turn, at_turn)
            low, at_low = turn, at_turn
            halves += 1
        self.solver.method = method

    def is_less(self, square: float) -> bool:
        """Tell whether the square of a distance is less than that of the best pose."""
        return square < self.square - 2 * self.same * math.sqrt(self.square)

    def between(self, low: float, at_low: float, high: float, at_high: float) -> None:
        """Look for closer poses at turns between two, as long as there may be any."""
        if high - low >= SAME and self.is_less(self.bound(low, at_low, high, at_high)):
            middle = 0.5 * (low + high)
            at_middle = self.probe(middle)
            self.between(low, at_low, middle, at_middle)
            self.between(middle, at_middle, high, at_high)

    def bound(self, low: float, at_low: float, high: float, at_high: float) -> float:
        """Return a lower bound of the square between two turns, from its values there.

        With the plane at an angle a from the target, that of a tip ``out`` and ``up`` in the plane
        is ``constant - 2 radius (out cos(a) + (upright beside - lean up) sin(a))``: linear in
        cos(a) but for a term that is the same for all tips, and a small one of the lean. The least
        of all tips is concave in cos(a), and so above its chord (docs/solvers.md, section 10).
        """
        first, last = self.bearing - low, self.bearing - high
        sine = -2 * self.radius * self.upright * self.beside
        rise = at_high - at_low - sine * (math.sin(last) - math.sin(first))
        fall = math.cos(last) - math.cos(first)
        cosine = rise / fall if fall != 0 else 0.0
        arc = (1 - math.cos(0.5 * (high - low))) / abs(math.sin(0.5 * (first + last)))
        leaning = 2 * self.radius * abs(self.lean) * (1 + abs(self.base)) * arc
        lowest = self.bearing - math.atan2(-sine, -cosine)
        lowest += points.TAU * math.ceil((low - lowest) / points.TAU)
        least = min(at_low, at_high)
        if lowest < high:
            least = at_low - cosine * math.cos(first) - sine * math.sin(first)
            least -= math.hypot(cosine, sine)
        return least - leaning

    def probe(self, turn: float) -> float:
        """Return the square of the least distance at a turn, or a bound that is no improvement.

        Go on from there if none was less.
        """
        square = self.floor(turn)
        if self.is_less(square):
            square = self.solve_at(turn)
            if self.is_less(square):
                self.settle(turn)
        return square

    def solve_at(self, turn: float) -> float:
        """Return the square of the least distance at a turn."""
        target = self.seen(turn)
        self.solver.point(target, EXACT)
        return self.square_at(turn, target)

    def settle(self, turn: float) -> None:
        """Let turntable and chain follow each other to the closest pose about; keep it if best.

        Among equally close poses, the one that moves least is best.
        """
        turn = self.allowed(turn)
        square = self.solve_at(turn)
        for _ in range(50):
            following = self.turn_to(self.solver.tip())
            if abs(following - turn) < SAME:
                break
            now = self.solve_at(following)
            if now >= square:
                square = self.solve_at(turn)
                break
            turn, square = following, now
        self.chain.place()
        move = self.move_to(turn)
        more = self.square + 2 * self.same * math.sqrt(square)
        if self.is_less(square) or (square < more and move < self.move - SAME):
            self.square = square
            self.keep(turn, move)
