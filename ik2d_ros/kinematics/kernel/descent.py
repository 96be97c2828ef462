"""From a pose to the target by small steps: damped least squares within limits, or sweeps."""

from __future__ import annotations

import math

from ik2d_ros.kinematics.kernel import codes, points
from ik2d_ros.kinematics.kernel.joint_table import Index, Numbers, padded
from ik2d_ros.kinematics.kernel.search import Trial

SLIDE = 0.5  # Reaches; how far a slide moves for what counts as one radian in a step.
LARGEST_TURN = 0.7  # rad; beyond, the tangent is no approximation.
LIGHT = 1e-8  # Damping of every step.
HEAVY = 1e-3  # Damping after a step that has not come closer.
NEAR = 0.15  # reaches; joints are eased off their limits only for a nearer target.
EASED_MOVE = 1.9  # Largest move of an eased step, as a multiple of the least step's largest.
PREFERENCE = 0.3  # rad; scale of the moves that joints prefer.
AT_LIMIT = 1e-3  # Half ranges; a joint nearer to its limit prefers no larger move.
STRAIGHT = math.pi  # rad; a joint with a larger half range does not prefer to be straight.
PATIENCE = 3  # Steps allowed that do not halve the error.
NO_ZERO = 1e-100  # Added to a divisor that may be 0.
TIED = 1e-15  # rad; a bend past its limits by more is tied.


class Descent:
    """Moves a pose so that its tip comes to a target, at a heading if one is wanted.

    Attributes:
        pose: the value of each joint; inside the limits.
        pivot, tip, heading: of the pose that was measured last: its joints, tip and last link.
        column: how the tip moves by a radian of each joint, or by SLIDE reaches of a slide.
        miss: from the tip to the target; heading_miss: the heading's, a radian as RADIAN reaches.
        aimed: whether a heading of the last link is wanted; angle: that heading.
        moving_count: number of the first joints that move.
        is_fixed: joints whose step is fixed: it ends at a limit, or they are tied; tied: absolute
            ones whose bend ends at one; lag: its move; any_tied: whether there are any.
        turning: whether a joint turns the last link.
        pull, twist: the multipliers of the least step.
    """

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        self.table = trial.table
        self.aimed = False
        self.radian = points.RADIAN
        self.moving_count = self.table.leading_count
        self.eased = self.any_tied = False
        self.iterations = 0
        self.angle = self.heading = self.heading_miss = self.whole_heading_miss = self.twist = 0.0
        self.tip = self.miss = self.whole_miss = self.pull = 0j
        self.pose = padded()
        self.step = padded()
        self.preferred = padded()
        self.is_fixed = padded()
        self.tied = padded()
        self.turning = padded()
        self.lag = padded()
        self.pivot = padded()
        self.column = padded()

    def set_angle(self, angle: float) -> None:
        """Choose the wanted heading of the last link in rad, or NO_ANGLE for any."""
        self.aimed = angle != codes.NO_ANGLE
        self.moving_count = self.table.count if self.aimed else self.table.leading_count
        self.angle = angle

    def set_pose(self, pose: Numbers) -> None:
        """Go on from a pose."""
        self.table.copy_pose(pose, self.pose)

    # --- where a pose has its tip ---

    def forward(self, pose: Numbers) -> None:
        """Compute the pivots of a pose, its tip, and the columns of its joints."""
        heading, pivot = 0.0, 0j
        for j in range(self.table.count):
            self.pivot[j] = pivot
            if self.table.slides[j]:
                heading += self.table.fixed[j]
                along = points.unit(heading)
                pivot += pose[j] * along
                self.column[j] = SLIDE * along
            else:
                heading = pose[j] + (0.0 if self.table.absolute[j] else heading)
                pivot += self.table.fixed[j] * points.unit(heading)
        self.heading = heading
        self.tip = pivot
        self.find_columns()

    def find_columns(self) -> None:
        """Find how each joint moves the tip, with the joints after it that are tied to it."""
        turned_end = self.tip
        is_last = True
        for j in range(self.table.count - 1, -1, -1):
            self.turning[j] = is_last and not self.table.slides[j]
            if not self.table.slides[j]:
                self.column[j] = 1j * (turned_end - self.pivot[j])
            if self.table.absolute[j] != self.tied[j]:
                # Joints before it carry the links after it, but do not turn them.
                turned_end = self.pivot[j]
                is_last = False

    def measure_error(self, pose: Numbers, target: complex) -> float:
        """Return how far a pose is from target and heading, in reaches."""
        self.forward(pose)
        self.miss = target - self.tip
        if not self.aimed:
            return abs(self.miss)
        self.heading_miss = self.radian * points.near_zero(self.angle - self.heading)
        return math.hypot(abs(self.miss), self.heading_miss)

    # --- steps of least squares ---

    def descend_to(self, target: complex, iterations: Index, enough: float) -> float:
        """Step towards a target, until an error is enough; return the error that is left.

        Damping is raised after a step that does not come closer, and lowered after one that does
        (K. Levenberg, 1944; D. W. Marquardt, 1963); only steps that come closer are taken.
        """
        damping, slow = LIGHT, 0
        self.iterations = 0
        error = self.measure_error(self.pose, target)
        while error > enough and self.iterations < iterations and slow < PATIENCE:
            self.iterations += 1
            largest = self.find_step(damping)
            self.eased = self.iterations == 1 and error < NEAR and largest < LARGEST_TURN
            self.eased = self.eased and not self.any_tied
            if self.eased:
                largest = self.ease_step(damping, largest)
            share = min(1.0, LARGEST_TURN / (largest + NO_ZERO))
            for j in range(self.table.count):
                moved = self.pose[j] + share * self.step[j]
                self.trial.pose[j] = self.table.clamp_value(j, moved)
            now = 2 * error
            if self.table.clamp_bends(self.trial.pose):
                now = self.measure_error(self.trial.pose, target)
            # A step that is shortened, and comes closer, or is eased is no sign of being stuck.
            if now > 0.5 * error and (now >= error or largest <= LARGEST_TURN) and not self.eased:
                slow += 1
            if now < error:
                damping = max(LIGHT, 0.1 * damping)
                error = now
                self.set_pose(self.trial.pose)
            else:
                damping = LIGHT if self.eased else max(HEAVY, 10 * damping)
                self.measure_error(self.pose, target)
        return error

    def find_step(self, damping: float) -> float:
        """Find the least step that makes up for the miss; return its largest part in rad.

        A joint that meets a limit stops there, and the others are solved for again: an active set.
        """
        for j in range(self.table.count):
            self.is_fixed[j] = False
        self.whole_miss, self.whole_heading_miss = self.miss, self.heading_miss
        self.any_tied = False
        again = True
        while again:
            self.find_multipliers(damping)
            again = self.stop_at_limits() or (self.table.limits_bends and self.tie_bends())
        largest: float = 0.0
        for j in range(self.table.count):
            size = abs(self.step[j])
            largest = max(largest, size / SLIDE if self.table.slides[j] else size)
            self.tied[j] = False
        return largest

    def find_multipliers(self, damping: float) -> None:
        r"""Solve for the multipliers of the least step: a pull on the tip, a twist of its link.

        The least squares with :math:`\sum c_j \delta_j = e` are :math:`\delta_j = c_j \cdot p`,

        .. math:: J J^T p = \tfrac12 (S p + Q \bar p) = e, \quad
            p = 2 (S e - Q \bar e) / (S^2 - |Q|^2),

        with the columns c and the miss e as complex numbers, :math:`S = \sum |c_j|^2` and
        :math:`Q = \sum c_j^2` (D. E. Whitney, 1969). Damping adds a share of S to the diagonal
        (Y. Nakamura and H. Hanafusa, 1986). The twist is eliminated by the Schur complement.
        """
        size, square, turned, turns = 0.0, 0j, 0j, 0.0
        for j in range(self.table.count):
            if not self.is_fixed[j]:
                column = self.column[j]
                size += points.squared_length(column)
                square += column * column
                if self.aimed and self.turning[j]:
                    turned += self.radian * column
                    turns += self.radian * self.radian
        more = damping * size + NO_ZERO
        size += 2 * more
        scale = 2 / (size * size - points.squared_length(square))
        self.pull = scale * (size * self.miss - square * self.miss.conjugate())
        if self.aimed:
            with_turns = scale * (size * turned - square * turned.conjugate())
            left = turns + more - points.dot(turned, with_turns)
            self.twist = (self.heading_miss - points.dot(turned, self.pull)) / left
            self.pull -= self.twist * with_turns

    def stop_at_limits(self) -> bool:
        """Set the step of each joint; hold joints that meet a limit, and tell if any do."""
        any_met = False
        for j in range(self.table.count):
            if not self.is_fixed[j]:
                wanted = self.free_step(j)
                low = self.table.lower[j] - self.pose[j]
                self.step[j] = points.clamp(wanted, low, self.table.upper[j] - self.pose[j])
                if self.step[j] != wanted:
                    self.is_fixed[j] = any_met = True
                    self.take_off_miss(j, self.step[j])
        return any_met

    def tie_bends(self) -> bool:
        """Tie absolute joints whose bends meet a limit to the link before; tell if any do."""
        turned, heading, any_met = 0.0, 0.0, False
        for j in range(self.table.count):
            if self.table.slides[j]:
                heading += self.table.fixed[j]
                continue
            if self.tied[j]:
                self.step[j] = self.lag[j] + turned
            elif self.table.limits_bend[j]:
                bend = self.pose[j] - heading
                lag = self.table.clamp_bend(j, bend + self.step[j] - turned) - bend
                if abs(lag + turned - self.step[j]) > TIED:
                    self.tied[j] = any_met = True
                    self.lag[j] = lag
            turned = self.step[j] + (0.0 if self.table.absolute[j] else turned)
            heading = self.pose[j] + (0.0 if self.table.absolute[j] else heading)
        if any_met:
            self.any_tied = True
            self.find_columns()
            self.miss, self.heading_miss = self.whole_miss, self.whole_heading_miss
            for j in range(self.table.count):
                self.is_fixed[j] = self.tied[j]
                if self.tied[j]:
                    self.take_off_miss(j, self.lag[j])
        return any_met

    def free_step(self, j: Index) -> float:
        """Return how far pull and twist move joint j, limits aside."""
        moved = points.dot(self.column[j], self.pull)
        if self.table.slides[j]:
            return SLIDE * moved
        return moved + self.radian * self.twist if self.aimed and self.turning[j] else moved

    def take_off_miss(self, j: Index, move: float) -> None:
        """Take what a move of joint j does off the miss that the others make up for."""
        if self.table.slides[j]:
            self.miss -= move / SLIDE * self.column[j]
        else:
            self.miss -= move * self.column[j]
            if self.turning[j]:
                self.heading_miss -= self.radian * move

    # --- off the limits ---

    def ease_step(self, damping: float, largest: float) -> float:
        """Add moves to the step that keep the tip and ease joints off limits; return the largest.

        Along a path a joint that stays at its limit cannot help. The least moves that bring the tip
        back are taken off the preferred moves of all joints, as in A. Liegeois, 1977. As large a
        share is added as lets no joint leave its limits, or move more than EASED_MOVE times the
        largest part of the least step (measured on paths, not derived).
        """
        self.miss, self.heading_miss = 0j, 0.0
        for j in range(self.table.count):
            self.preferred[j] = 0.0 if self.is_fixed[j] else self.preferred_move(j)
            self.take_off_miss(j, self.preferred[j])
        self.find_multipliers(damping)
        share, most = 1.0, EASED_MOVE * largest
        for j in range(self.table.count):
            if not self.is_fixed[j]:
                self.preferred[j] += self.free_step(j)
                low = max(-most, self.table.lower[j] - self.pose[j]) - self.step[j]
                high = min(most, self.table.upper[j] - self.pose[j]) - self.step[j]
                if share * self.preferred[j] < low:
                    share = max(0.0, low / self.preferred[j])
                elif share * self.preferred[j] > high:
                    share = max(0.0, high / self.preferred[j])
        for j in range(self.table.count):
            self.step[j] += share * self.preferred[j]
        return most if share > 0 else largest

    def preferred_move(self, j: Index) -> float:
        r"""Return the joint's preferred move: off its limits, slightly towards straight.

        It is the descent of the barrier :math:`-\log(1 - u^2)`, with u from -1 to 1 between the
        limits, in units of PREFERENCE. Without the part towards straight an arm would fold up in
        the end.
        """
        if j >= self.moving_count or self.table.slides[j] or self.table.limit_count[j] < 2:
            return 0.0
        half = 0.5 * (self.table.upper[j] - self.table.lower[j])
        off = (self.pose[j] - self.table.lower[j]) / half - 1
        slope = off / max(AT_LIMIT, 1 - off * off)
        if j > 0 and half <= STRAIGHT and not self.table.absolute[j]:
            slope += points.near_zero(self.pose[j])
        return -PREFERENCE * slope

    # --- sweeps ---

    def sweep_to(self, target: complex, iterations: Index, enough: float) -> float:
        """Sweep over the joints until that creeps; return the error that is left.

        A sweep creeps if it leaves more than a share of the error: more than half of it, with more
        than three joints more than 1 - 1.5 / n, as the error shrinks more slowly the more joints
        share it. After 2 n - 4 sweeps (2 to 12) a sweep that leaves more than a tenth creeps. These
        numbers are measured, not derived: they decide the time, and never the verdict.
        """
        creeping = max(0.5, 1 - 1.5 / self.table.count)
        many = min(max(2 * self.table.count - 4, 2), 12)
        self.iterations = 0
        error = self.measure_error(self.pose, target)
        before = points.FARTHEST * points.FARTHEST
        while error > enough and error <= creeping * before and self.iterations < iterations:
            before = error
            self.iterations += 1
            error = self.sweep_joints(target)
            if self.iterations == many:
                creeping = 0.1
        return error

    def sweep_joints(self, target: complex) -> float:
        r"""Move each joint, the last one first, as close to the target as it alone can come.

        A revolute joint turns by the angle of :math:`(z - p) \overline{(t - p)}` with the target
        z, the tip t and its pivot p (L.-C. T. Wang and C. C. Chen, 1991). No move increases the
        error. It returns that, or FARTHEST where limits of bends forbid the pose.
        """
        self.forward(self.pose)
        tip = turned_end = self.tip
        for j in range(self.moving_count - 1, -1, -1):
            if self.table.slides[j]:
                along = self.column[j] / SLIDE
                wanted = self.pose[j] + points.dot(target - tip, along)
                wanted = self.table.clamp_value(j, wanted)
                moved = (wanted - self.pose[j]) * along
            else:
                arm = turned_end - self.pivot[j]
                turn = points.phase((target - tip + arm) * arm.conjugate())
                wanted = self.best_allowed(j, self.pose[j] + turn)
                moved = arm * points.unit(wanted - self.pose[j]) - arm
            self.pose[j] = wanted
            tip += moved
            turned_end = self.pivot[j] if self.table.absolute[j] else turned_end + moved
        if not self.table.clamp_bends(self.pose):
            return points.FARTHEST
        return self.measure_error(self.pose, target)

    def best_allowed(self, j: Index, value: float) -> float:
        """Return the allowed value of joint j, which turns, that leads closest to a value."""
        low, high = self.table.lower[j], self.table.upper[j]
        if low <= value <= high:
            return value
        other = value - math.copysign(2 * math.pi, value - self.pose[j])
        if low <= other <= high:
            return other
        return low if math.cos(value - low) > math.cos(value - high) else high
