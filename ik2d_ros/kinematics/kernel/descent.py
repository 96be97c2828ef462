"""From a pose to the target by small moves: damped least squares within the limits, or sweeps."""

from __future__ import annotations

import math

from ik2d_ros.kinematics.kernel import codes, points
from ik2d_ros.kinematics.kernel.linkage import Index, Linkage, Numbers, room

SLIDE = 0.5  # rad; the turn that one reach of a slide counts as.
LARGEST_TURN = 0.7  # rad; beyond, the tangent is no approximation.
LIGHTLY = 1e-8  # Damping of every step.
HEAVILY = 1e-3  # Damping after a step that has not come closer.
NEAR = 0.15  # reaches; for a nearer target, joints are eased off their limits.
EASE = 1.9  # Largest move with easing, in largest moves of the step.
OFF_LIMITS = 0.3  # rad; scale of the moves that joints wish to make.
AT_LIMIT = 1e-3  # Half ranges; a joint nearer to its limit wishes for no larger move.
STRAIGHT = math.pi  # rad; a joint with a larger half range wishes for no bend.
BOTH = 2  # Limits of a joint that can leave them.
PATIENCE = 3  # Steps that may leave more than half of the error.
NOTHING = 1e-100  # Added to a divisor that may be 0.
TIED = 1e-15  # rad; a bend that is further outside of its limits is held there.


class Descent:
    """Moves a pose so that its tip comes to a target, if asked for at an angle.

    Attributes:
        pose: a number for each joint; inside the limits.
        pivot: of the pose measured last, where its joints are and, last, the tip.
        heading: of its last link.
        aimed: whether an angle of the last link counts, and which.
        movers: how many of the first joints move.
        eased: whether the last step has eased joints off their limits.
        rounds: steps that the last run has taken.
    """

    def __init__(self, linkage: Linkage) -> None:
        self.linkage = linkage
        self.aimed = False
        self.movers = linkage.leading
        self.eased = False
        self.any_tied = False
        self.rounds = 0
        self.angle = self.heading = self.off = self.twist = 0.0
        self.tip = self.miss = self.pull = self.gap = 0j
        self.askew = 0.0
        self.pose = room()
        self.step = room()
        self.wish = room()
        self.held = room()
        self.tied = room()
        self.turning = room()
        self.lag = room()
        self.pivot = room()
        self.column = room()

    def aim(self, angle: float) -> None:
        """Ask for an angle of the last link in rad, or NO_ANGLE for any."""
        self.aimed = angle != codes.NO_ANGLE
        self.movers = self.linkage.count if self.aimed else self.linkage.leading
        self.angle = angle

    def begin(self) -> None:
        """Put the pose where the joints start."""
        self.put(self.linkage.start)

    def put(self, pose: Numbers) -> None:
        """Go on from a pose."""
        self.linkage.copy(pose, self.pose)

    def forward(self, pose: Numbers) -> None:
        """Find the pivots of a pose and its tip, and how each joint moves that: its column."""
        heading, pivot = 0.0, 0j
        for j in range(self.linkage.count):
            self.pivot[j] = pivot
            if self.linkage.slides[j]:
                heading += self.linkage.fixed[j]
                along = points.unit(heading)
                pivot += pose[j] * along
                self.column[j] = SLIDE * along
            else:
                heading = pose[j] + (0.0 if self.linkage.absolute[j] else heading)
                pivot += self.linkage.fixed[j] * points.unit(heading)
        self.heading = heading
        self.tip = pivot
        self.find_columns()

    def find_columns(self) -> None:
        """Find how each joint moves the tip, with those behind it that are tied to it."""
        end = self.tip
        is_last = True
        for j in range(self.linkage.count - 1, -1, -1):
            self.turning[j] = is_last and not self.linkage.slides[j]
            if not self.linkage.slides[j]:
                self.column[j] = 1j * (end - self.pivot[j])
            if self.linkage.absolute[j] and not self.tied[j]:
                # Joints before it carry the links behind it, but do not turn them.
                end = self.pivot[j]
                is_last = False

    def measure(self, pose: Numbers, target: complex) -> float:
        """Return how far from the target a pose is, in reaches; one of the angle in rad counts."""
        self.forward(pose)
        self.miss = target - self.tip
        if not self.aimed:
            return abs(self.miss)
        self.off = points.RADIAN * points.near_zero(self.angle - self.heading)
        return math.hypot(abs(self.miss), self.off)

    def run(self, target: complex, rounds: Index, enough: float) -> float:
        """Bring the tip to the target, in as many rounds; return how far it stays away."""
        damping, dull = LIGHTLY, 0
        self.rounds = 0
        error = self.measure(self.pose, target)
        while error > enough and self.rounds < rounds and dull < PATIENCE:
            self.rounds += 1
            largest = self.find_step(damping)
            self.eased = self.rounds == 1 and error < NEAR and largest < LARGEST_TURN
            if self.eased and self.any_tied:
                self.eased = False
            if self.eased:
                largest = self.ease(damping, largest)
            share = min(1.0, LARGEST_TURN / (largest + NOTHING))
            for j in range(self.linkage.count):
                moved = self.pose[j] + share * self.step[j]
                self.linkage.trial[j] = points.clamp(
                    moved, self.linkage.lower[j], self.linkage.upper[j]
                )
            now = 2 * error
            if self.linkage.bend_back(self.linkage.trial):
                now = self.measure(self.linkage.trial, target)
            if now > 0.5 * error and (now >= error or largest <= LARGEST_TURN) and not self.eased:
                dull += 1
            if now < error:
                damping = max(LIGHTLY, 0.1 * damping)
                error = now
                self.put(self.linkage.trial)
            else:
                damping = LIGHTLY if self.eased else max(HEAVILY, 10 * damping)
                self.measure(self.pose, target)
        return error

    def find_step(self, damping: float) -> float:
        """Find the step that makes up for the miss, and return its largest part."""
        for j in range(self.linkage.count):
            self.held[j] = False
        self.gap, self.askew = self.miss, self.off
        self.any_tied = False
        again = True
        while again:
            self.find_pull(damping)
            again = self.stop_at_limits() or (self.linkage.bent and self.tie())
        largest: float = 0.0
        for j in range(self.linkage.count):
            size = abs(self.step[j])
            largest = max(largest, size / SLIDE if self.linkage.slides[j] else size)
            self.tied[j] = False
        return largest

    def tie(self) -> bool:
        """Let absolute joints whose bends meet a limit move with the link before; tell if any do.

        They are rigid with that link once the bend is at its limit.
        """
        turned, heading, any_met = 0.0, 0.0, False
        for j in range(self.linkage.count):
            if not self.linkage.absolute[j]:
                turned += 0.0 if self.linkage.slides[j] else self.step[j]
                heading += self.linkage.fixed[j] if self.linkage.slides[j] else self.pose[j]
                continue
            if self.tied[j]:
                self.step[j] = turned + self.lag[j]
            else:
                bend = self.pose[j] - heading
                lag = self.linkage.bend_at(j, bend + self.step[j] - turned) - bend
                if abs(lag + turned - self.step[j]) > TIED:
                    self.tied[j] = any_met = True
                    self.lag[j] = lag
            turned, heading = self.step[j], self.pose[j]
        if any_met:
            self.any_tied = True
            self.find_columns()
            self.miss, self.off = self.gap, self.askew
            for j in range(self.linkage.count):
                self.held[j] = self.tied[j]
                if self.tied[j]:
                    self.leave(j, self.lag[j])
        return any_met

    def find_pull(self, damping: float) -> None:
        """Solve for the multipliers of the least step: a pull on the tip, a twist of its link.

        With the columns c as complex numbers, J J^T p is (S p + Q conj(p)) / 2: S is the sum of
        |c|^2, Q the sum of c^2.
        """
        size, square, turned, turns = 0.0, 0j, 0j, 0.0
        for j in range(self.linkage.count):
            if not self.held[j]:
                column = self.column[j]
                size += points.norm(column)
                square += column * column
                if self.aimed and self.turning[j]:
                    turned += points.RADIAN * column
                    turns += points.RADIAN * points.RADIAN
        more = damping * size + NOTHING
        size += 2 * more
        scale = 2 / (size * size - points.norm(square))
        self.pull = scale * (size * self.miss - square * self.miss.conjugate())
        if self.aimed:
            with_turns = scale * (size * turned - square * turned.conjugate())
            left = turns + more - points.dot(turned, with_turns)
            self.twist = (self.off - points.dot(turned, self.pull)) / left
            self.pull -= self.twist * with_turns

    def stop_at_limits(self) -> bool:
        """Set the step of each joint; hold joints that meet a limit, and tell if any do."""
        any_met = False
        for j in range(self.linkage.count):
            if not self.held[j]:
                wanted = self.pulled(j)
                low = self.linkage.lower[j] - self.pose[j]
                self.step[j] = points.clamp(wanted, low, self.linkage.upper[j] - self.pose[j])
                if self.step[j] != wanted:
                    self.held[j] = any_met = True
                    self.leave(j, self.step[j])
        return any_met

    def pulled(self, j: Index) -> float:
        """Return how far pull and twist move joint j."""
        moved = points.dot(self.column[j], self.pull)
        if self.linkage.slides[j]:
            return SLIDE * moved
        return moved + points.RADIAN * self.twist if self.aimed and self.turning[j] else moved

    def leave(self, j: Index, move: float) -> None:
        """Take a move of joint j off the miss that the others make up for."""
        if self.linkage.slides[j]:
            self.miss -= move / SLIDE * self.column[j]
        else:
            self.miss -= move * self.column[j]
            if self.turning[j]:
                self.off -= points.RADIAN * move

    def ease(self, damping: float, largest: float) -> float:
        """Ease joints off their limits by moves that keep the tip; return the largest move then.

        Along a path a joint that stays at its limit cannot help. The least moves that bring the tip
        back are added to the wishes of all joints. The share of the wishes is such that no joint
        moves much more than in the step.
        """
        self.miss, self.off = 0j, 0.0
        for j in range(self.linkage.count):
            self.wish[j] = 0.0 if self.held[j] else self.wish_of(j)
            self.leave(j, self.wish[j])
        self.find_pull(damping)
        share, most = 1.0, EASE * largest
        for j in range(self.linkage.count):
            if not self.held[j]:
                self.wish[j] += self.pulled(j)
                low = max(-most, self.linkage.lower[j] - self.pose[j]) - self.step[j]
                high = min(most, self.linkage.upper[j] - self.pose[j]) - self.step[j]
                if share * self.wish[j] < low:
                    share = max(0.0, low / self.wish[j])
                elif share * self.wish[j] > high:
                    share = max(0.0, high / self.wish[j])
        for j in range(self.linkage.count):
            self.step[j] += share * self.wish[j]
        return most if share > 0 else largest

    def wish_of(self, j: Index) -> float:
        """Return how far a joint wishes to move off its limits, and a little towards straight.

        The wish is the slope of a barrier at both limits. A coiled arm would fold up in the end.
        """
        if j >= self.movers or self.linkage.slides[j] or self.linkage.limits[j] != BOTH:
            return 0.0
        half = 0.5 * (self.linkage.upper[j] - self.linkage.lower[j])
        off = (self.pose[j] - self.linkage.lower[j]) / half - 1
        slope = off / max(AT_LIMIT, 1 - off * off)
        if j > 0 and half <= STRAIGHT and not self.linkage.absolute[j]:
            slope += points.near_zero(self.pose[j])
        return -OFF_LIMITS * slope

    def sweep(self, target: complex) -> None:
        """Move each joint, the last one first, as close to the target as it alone can come."""
        self.forward(self.pose)
        tip = end = self.tip
        for j in range(self.movers - 1, -1, -1):
            if self.linkage.slides[j]:
                along = self.column[j] / SLIDE
                wanted = self.pose[j] + points.dot(target - tip, along)
                wanted = points.clamp(wanted, self.linkage.lower[j], self.linkage.upper[j])
                moved = (wanted - self.pose[j]) * along
            else:
                arm = end - self.pivot[j]
                turn = points.phase((target - tip + arm) * arm.conjugate())
                wanted = self.best(j, self.pose[j] + turn)
                moved = arm * points.unit(wanted - self.pose[j]) - arm
            self.pose[j] = wanted
            tip += moved
            end = self.pivot[j] if self.linkage.absolute[j] else end + moved

    def best(self, j: Index, bend: float) -> float:
        """Return the bend within the limits of joint j that is as good as this one, or next to it.

        The distance grows with the angle to either side, so of two limits that with the larger
        cosine is better.
        """
        low, high = self.linkage.lower[j], self.linkage.upper[j]
        if low <= bend <= high:
            return bend
        other = bend - math.copysign(2 * math.pi, bend - self.pose[j])
        if low <= other <= high:
            return other
        return low if math.cos(bend - low) > math.cos(bend - high) else high
