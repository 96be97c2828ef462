"""Solves for the chain in a plane that a turntable carries: targets in space, one or many.

A target has a radius, a bearing and a height about the axis. One turn brings the plane to it in
front of the axis, another one over the back. Where limits forbid both, the turn is searched at
which the chain comes closest in space (doc/solvers.md, section 9).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ik2d_ros.kinematics.kernel import codes, points
from ik2d_ros.kinematics.kernel.chain_solver import CarriedSolver, ChainSolver, Direction
from ik2d_ros.kinematics.kernel.joint_table import Index, Numbers

if TYPE_CHECKING:
    from ik2d_ros.kinematics.plane import TurningPlane

RESOLUTION = 1e-9  # rad or reaches; turns, moves and distances that differ by less are equal.
COARSE = 0.1  # rad; turns that are still searched between where the budget is spent.
RADIUS_ROUNDING = 1e-15  # Error of a radius, as a share of the lengths it is computed from.
SHORTEST_PROJECTION = 1e-6  # A unit vector's projection that is shorter has no direction.
MOST_FOLLOWED = 50  # Turns to which turntable and chain follow each other.
NORMAL = 0.5 * math.pi  # rad; the angle between the plane's normal and any direction in it.


class TurntableSolver(CarriedSolver):
    """Solves for one arm with a turntable. Lengths are in reaches but for the target's.

    With the turntable at 0, a point z of the plane is ``out + i down = base + along * z``: out from
    the axis and down along it, both seen in the plane, which leans: out and up would be mirrored,
    as they turn against x and y of the plane. It is ``upright * offset + lean * down`` across, and
    ``upright`` is the cosine to the sine ``lean``.

    Attributes:
        base, along, lean, upright, offset: of the plane as it turns, the base without the tool.
        farthest: a bound of how far poses are from the axis frame's origin; origin: how far that is
            from the base frame's.
        pointing: whether a direction in space is wanted; sideways, upwards: that direction, out and
            across, and along the axis; wanted: else the wanted angle in the plane.
        target: of this solve in m, out and across, with the turntable at 0; target_height: along.
        radius, bearing, height: of the target about the axis; out, across: where it is in the
            plane.
        front, back: the turns that bring the plane to the target, over the back where that is
            behind.
        resolution: distances that differ by less are equal, at the target's size.
        never_in_plane: whether no turn brings the plane to the target.
        undecided: whether a solve in the plane has ended without a proof.
        best_square: square of the distance of the closest pose; best_move: the largest move to it.
    """

    def __init__(
        self, chain: ChainSolver, turning: TurningPlane, limits: tuple[float, float]
    ) -> None:
        super().__init__(chain, 1, limits)
        self.solver = chain.solver
        self.lean, self.upright = turning.lean, turning.upright
        right, up, _ = turning.plane.axes
        self.along = complex(right[0], -up[0])
        out, across, height = turning.plane.origin
        base = complex(out, -(self.upright * height - self.lean * across))
        self.base = base / chain.size + self.along * chain.tool
        self.offset = turning.offset / chain.size
        outer = 1 + abs(self.base)
        self.farthest = math.hypot(outer, abs(self.offset) + abs(self.lean) * outer)
        x, y, z = turning.frame.origin
        self.origin = math.hypot(math.hypot(x, y), z) / chain.size
        self.upwards = self.wanted = self.angle_tolerance = 0.0
        self.sideways = self.target = 0j
        self.target_height = self.radius = self.bearing = self.height = self.across = self.out = 0.0
        self.front = self.back = self.resolution = self.best_square = self.best_move = 0.0
        self.pointing = self.never_in_plane = self.undecided = False

    # --- what is asked ---

    def configure(self, angle: float | Direction, options: tuple[int, int, int]) -> None:
        """Prepare for targets and a direction, seen from the axis: out, across, along."""
        self.chain.configure(angle, options)
        self.pointing = isinstance(angle, tuple)
        if isinstance(angle, tuple):
            out, across, self.upwards = angle
            self.sideways = complex(out, across)

    def set_target(self, target: complex, height: float) -> None:
        """Take a target in m, seen from the axis with the turntable at 0; find its two turns."""
        self.target, self.target_height = target, height
        out, across = target.real, target.imag
        away = math.hypot(math.hypot(out, across), height)
        metre = 1 / max(self.size, away / (points.FARTHEST * self.farthest))
        out, across, height = metre * out, metre * across, metre * height
        self.radius, self.bearing = math.hypot(out, across), math.atan2(across, out)
        self.height = height
        self.across = (self.offset - self.lean * height) / self.upright
        gap = abs(self.across)
        self.out = math.sqrt(max(0.0, (self.radius - gap) * (self.radius + gap)))
        lengths = self.origin + self.farthest + self.radius + abs(height)
        rounding = RADIUS_ROUNDING * lengths
        self.resolution = RESOLUTION + rounding
        self.never_in_plane = gap - self.radius > rounding
        self.front = self.bearing - math.atan2(self.across, self.out)
        self.back = self.bearing - math.atan2(self.across, -self.out)
        if self.radius <= rounding:  # On the axis every turn is as good.
            self.front = self.back = self.carrier_start

    def wanted_at(self, turn: float) -> float:
        """Return the wanted angle in the plane at a turn; FAR where the direction gives none."""
        if not self.pointing:
            return self.wanted
        level = self.sideways * points.unit(-turn)
        down = self.lean * level.imag - self.upright * self.upwards
        if math.hypot(level.real, down) < SHORTEST_PROJECTION:
            return points.FAR
        return points.phase((level.real + 1j * down) * self.along.conjugate())

    def angle_error_at(self, turn: float) -> float:
        """Return how far the chain's pose is from the wanted angle at a turn, in rad."""
        if self.wanted == codes.NO_ANGLE:
            return 0.0
        wanted = self.wanted_at(turn)
        return NORMAL if wanted == points.FAR else abs(points.near_zero(self.chain.angle - wanted))

    # --- how the turntable carries the plane ---

    def in_plane(self, out: float, across: float) -> complex:
        """Return the target as the chain sees it where the turn puts it so far out and across."""
        down = self.lean * across - self.upright * self.height
        return (out + 1j * down - self.base) * self.along.conjugate()

    def target_at(self, turn: float) -> complex:
        """Return the target, projected into the plane at a turn, as the chain sees it."""
        apart = self.bearing - turn
        return self.in_plane(self.radius * math.cos(apart), self.radius * math.sin(apart))

    def plane_distance(self, turn: float) -> float:
        """Return how far the target is from the plane at a turn, with its sign."""
        across = self.radius * math.sin(self.bearing - turn)
        return self.upright * across + self.lean * self.height - self.offset

    def annulus_distance(self, away: float) -> float:
        """Return how far a point of the plane is outside the chain's annulus, negative inside."""
        return max(away - self.solver.outer, self.solver.inner - away)

    def tip_error(self, turn: float) -> float:
        """Return how far the chain's tip is from the target at a turn, in m."""
        there = self.base + self.along * self.solver.tip()
        across = self.upright * self.offset + self.lean * there.imag
        height = self.lean * self.offset - self.upright * there.imag
        level = (there.real + 1j * across) * points.unit(turn)
        level_error = abs(self.target - self.size * level)
        return math.hypot(level_error, self.target_height - self.size * height)

    def clamp_turn(self, turn: float) -> float:
        """Return a turn as near to the start as limits let it be, or the limit next to it."""
        turn = self.carrier_start + points.near_zero(turn - self.carrier_start)
        low, high = self.carrier_lower - RESOLUTION, self.carrier_upper + RESOLUTION
        turn = points.turned_within(turn, low, high)
        if low <= turn <= high:
            return points.clamp(turn, self.carrier_lower, self.carrier_upper)
        to_lower = abs(points.near_zero(turn - self.carrier_lower))
        return (
            self.carrier_lower
            if to_lower < abs(points.near_zero(turn - self.carrier_upper))
            else self.carrier_upper
        )

    # --- the two turns that bring the plane to the target ---

    def solve_target(
        self, at: complex, z: float, angle: float, tolerance: float, angle_tolerance: float
    ) -> Index:
        """Bring the tip to a target, or as close as it can come; return the status.

        Of poses with the tip there, the wanted angle counts first, then the smaller move.
        """
        self.set_target(at, z)
        self.wanted, self.angle_tolerance = angle, angle_tolerance
        self.best_square = self.best_move = self.angle_error = points.FAR
        self.passes, self.undecided = 0, False
        front = abs(self.clamp_turn(self.front) - self.carrier_start)
        back = abs(self.clamp_turn(self.back) - self.carrier_start)
        if back < front - RESOLUTION:
            self.solve_at_turn(self.back, -self.out, tolerance)
        self.solve_at_turn(self.front, self.out, tolerance)
        if back >= front - RESOLUTION:
            self.solve_at_turn(self.back, -self.out, tolerance)
        if self.best_move == points.FAR:
            self.search_turns()
            if self.error > tolerance:
                return self.status_of_miss()
            self.undecided = True  # It has not looked for an angle.
        status = codes.NOT_CONVERGED if self.undecided else codes.TIP_ANGLE
        return self.status_at(status, tolerance, angle_tolerance)

    def solve_at_turn(self, exact: float, out: float, tolerance: float) -> None:
        """Keep the pose at one of the two turns if it reaches the target, and is better."""
        turn = self.clamp_turn(exact)
        wanted = self.wanted_at(turn)
        if wanted == points.FAR or (
            self.angle_error <= self.angle_tolerance
            and abs(turn - self.carrier_start) > self.best_move - RESOLUTION
        ):
            return
        target = self.target_at(turn)
        if abs(points.near_zero(turn - exact)) < RESOLUTION and not self.never_in_plane:
            target = self.in_plane(out, self.across)  # Without what a turn rounds.
        at = self.size * (target + self.chain.tool)
        status = self.chain.solve_target(at, 0.0, wanted, tolerance, self.angle_tolerance)
        if status == codes.NOT_CONVERGED:
            self.undecided = True
        self.passes += self.solver.passes
        move = self.move_to(turn)
        if self.tip_error(turn) <= tolerance and self.is_better(self.angle_error_at(turn), move):
            self.keep_pose(turn, move)

    def is_better(self, angle_error: float, move: float) -> bool:
        """Tell whether a pose that reaches the target is better than the one that was kept."""
        if (angle_error <= self.angle_tolerance) != (self.angle_error <= self.angle_tolerance):
            return angle_error < self.angle_error
        off = max(angle_error, self.angle_tolerance)
        least = max(self.angle_error, self.angle_tolerance)
        return off < least - RESOLUTION or (
            off < least + RESOLUTION and move < self.best_move - RESOLUTION
        )

    def move_to(self, turn: float) -> float:
        """Return the largest move to the chain's pose at a turn, in rad or reaches."""
        largest: float = abs(turn - self.carrier_start)
        for j in range(self.chain.joints):
            move = self.chain.sign[j] * (self.chain.positions[j] - self.chain.start[j])
            largest = max(largest, abs(move))
        return largest

    def keep_pose(self, turn: float, move: float) -> None:
        """Keep the chain's pose at a turn."""
        self.best_move, self.angle_error = move, self.angle_error_at(turn)
        self.error = self.tip_error(turn)
        self.place_pose(turn)

    def status_of_miss(self) -> Index:
        """Return why no pose has its tip at the target."""
        front = abs(self.in_plane(self.out, self.across))
        back = abs(self.in_plane(-self.out, self.across))
        nearer = front if self.annulus_distance(front) <= self.annulus_distance(back) else back
        if self.annulus_distance(nearer) > points.PLANE_TOLERANCE * self.farthest:
            return codes.TOO_FAR if nearer > self.solver.outer else codes.TOO_NEAR
        if self.never_in_plane:
            return codes.TOO_NEAR
        if self.solver.trial.budget <= 0 or self.undecided:
            return codes.NOT_CONVERGED
        if self.best_square <= points.PLANE_TOLERANCE * points.PLANE_TOLERANCE:
            return codes.NOT_CONVERGED
        return codes.JOINT_LIMIT

    # --- a small move ---

    def step_to(self, at: complex, z: float, angle: float, tolerance: float) -> None:
        """Come close to a target by the nearer of its two turns, and small steps of the chain."""
        self.set_target(at, z)
        front, turn = self.clamp_turn(self.front), self.clamp_turn(self.back)
        if abs(front - self.carrier_start) <= abs(turn - self.carrier_start):
            turn = front
        self.chain.step_in_plane(self.target_at(turn), angle, tolerance)
        self.error = self.tip_error(turn)
        self.place_pose(turn)

    def measure_move(self, before: Numbers, after: Numbers, first: Index) -> None:
        """Measure a move: a turn bends the chain's way, and the tip's circle about the axis."""
        self.chain.measure_move(before, after, first + 1)
        self.speed, turn = self.chain.speed, after[first] - before[first]
        self.bow = self.chain.bow + (
            2 * abs(turn) * self.speed + turn * turn * (self.radius + self.speed)
        )
        self.largest = max(self.chain.largest, abs(turn))

    # --- the closest pose ---

    def search_turns(self) -> None:
        """Find the pose that is closest in space."""
        method = self.solver.method
        self.solver.method = codes.CLOSED_FORM
        self.refine(self.front)
        self.refine(self.back)
        low, high = self.carrier_lower, self.carrier_upper
        if high - low > points.TAU:
            low = self.bearing - math.pi
            high = low + points.TAU
        at_low = self.bound_or_solve(low)
        # In parts that end where the plane points at the target, or away from it.
        halves = math.floor((low - self.bearing) / math.pi) + 1
        while low < high:
            turn = min(high, self.bearing + halves * math.pi)
            at_turn = self.bound_or_solve(turn)
            self.search_between(low, at_low, turn, at_turn)
            low, at_low = turn, at_turn
            halves += 1
        self.solver.method = method

    def is_closer(self, square: float) -> bool:
        """Tell whether the square of a distance is less than that of the best pose."""
        return square < self.best_square - 2 * self.resolution * math.sqrt(self.best_square)

    def search_between(self, low: float, at_low: float, high: float, at_high: float) -> None:
        """Look for closer poses at turns between two, as long as there may be any."""
        least: float = RESOLUTION if self.solver.trial.budget > 0 else COARSE
        if high - low >= least and self.is_closer(self.bound_between(low, at_low, high, at_high)):
            middle = 0.5 * (low + high)
            at_middle = self.bound_or_solve(middle)
            self.search_between(low, at_low, middle, at_middle)
            self.search_between(middle, at_middle, high, at_high)

    def bound_between(self, low: float, at_low: float, high: float, at_high: float) -> float:
        """Return a lower bound of the least square between two turns, from its values there.

        But for the same term in the sine for all tips, and the lean, squares are linear in the
        cosine of the angle from a turn to the target's bearing: their least is above its chord,
        less what the lean can take off. The turns are on one side of the bearing (doc/solvers.md,
        section 9).
        """
        first, last = self.bearing - low, self.bearing - high
        sine = -2 * self.radius * self.upright * self.offset
        rise = at_high - at_low - sine * (math.sin(last) - math.sin(first))
        run = math.cos(last) - math.cos(first)
        cosine = rise / run if run != 0 else 0.0
        arc = (1 - math.cos(0.5 * (high - low))) / abs(math.sin(0.5 * (first + last)))
        leaning = 2 * self.radius * abs(self.lean) * (1 + abs(self.base)) * arc
        lowest = self.bearing - math.atan2(-sine, -cosine)
        lowest += points.TAU * math.ceil((low - lowest) / points.TAU)
        least = min(at_low, at_high)
        if lowest < high:
            least = at_low - cosine * math.cos(first) - sine * math.sin(first)
            least -= math.hypot(cosine, sine)
        return least - leaning

    def bound_or_solve(self, turn: float) -> float:
        """Return the least square at a turn, or a bound of it that is no improvement.

        The tip is in the plane, and in the annulus. Refine the pose there if it is the closest.
        """
        outside = max(0.0, self.annulus_distance(abs(self.target_at(turn))))
        across = self.plane_distance(turn)
        square = outside * outside + across * across
        if self.is_closer(square):
            square = self.solve_closest(turn)
            if self.is_closer(square):
                self.refine(turn)
        return square

    def solve_closest(self, turn: float) -> float:
        """Return the least square of the tip's distance in space at a turn."""
        target = self.target_at(turn)
        self.solver.solve_for_point(target, points.PLANE_TOLERANCE)
        across = self.plane_distance(turn)
        return points.squared_length(target - self.solver.tip()) + across * across

    def refine(self, turn: float) -> None:
        """Alternate turntable and chain until neither comes closer; keep the pose if it is best."""
        turn = self.clamp_turn(turn)
        square = self.solve_closest(turn)
        for _ in range(MOST_FOLLOWED):
            there = self.base + self.along * self.solver.tip()
            across = self.upright * self.offset + self.lean * there.imag
            following = self.clamp_turn(self.bearing - math.atan2(across, there.real))
            if abs(following - turn) < RESOLUTION:
                break
            now = self.solve_closest(following)
            if now >= square:
                square = self.solve_closest(turn)
                break
            turn, square = following, now
        self.chain.update_positions()
        move = self.move_to(turn)
        more = self.best_square + 2 * self.resolution * math.sqrt(square)
        if self.is_closer(square) or (square < more and move < self.best_move - RESOLUTION):
            self.best_square = square
            self.keep_pose(turn, move)
