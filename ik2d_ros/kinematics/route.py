"""A path that is asked for, and how an arm moves along it from a pose."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.arrays import FloatArray
from ik2d_ros.kinematics.batch import solve_batch
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.kernel.follower import Course, Follower
from ik2d_ros.kinematics.solution import Batch, Solution
from ik2d_ros.kinematics.solve import solve

MOST_POSES = 1_000_000  # Of a path.
_ROOM = 4096  # Poses that are found at once.
_LEAST = 1e-3  # Of the tolerance: the shortest step,
_ROUNDING = 1e-12  # but not less than this share of all lengths.
_RADIAN = 0.5  # Reaches along a path that turning the tip by a radian counts as much as.


@dataclass(frozen=True, eq=False)
class Way:
    """Poses along a route.

    Attributes:
        places: (k,) where they are; they never fall.
        q: (k, n) positions.
    """

    places: FloatArray
    q: FloatArray

    @property
    def end(self) -> float:
        """The place of the last pose."""
        return float(self.places[-1])

    def then(self, other: Way) -> Way:
        """Return the poses of this way, then those of another one."""
        return Way(np.append(self.places, other.places), np.concatenate([self.q, other.q]))

    def until(self, count: int) -> Way:
        """Return some of the first poses."""
        return Way(self.places[:count], self.q[:count])

    def beyond(self, place: float) -> Way:
        """Return the poses beyond a place."""
        first = int(np.searchsorted(self.places, place, 'right'))
        return Way(self.places[first:], self.q[first:])

    def reversed(self) -> Way:
        """Return the poses from the last one to the first."""
        return Way(self.places[::-1], self.q[::-1])


@dataclass(frozen=True, eq=False)
class Route:
    """A path for an arm.

    A place is a number that grows along the path, where the tip only turns, too.

    Attributes:
        arm: the arm, or the chain in its plane.
        points: (m, 2) or (m, 3) in m, no two in a row at one place.
        angles: (m,) of the tip in rad, that turn the shorter way; None for any.
        places: (m,) of the points.
        lengths: (m,) of the path up to these in m.
        times: (m,) how often each was asked for in a row.
        tolerance: distance in m that counts as reached.
        angle_tolerance: distance from the angle in rad that does.
        path_tolerance: how far from the lines the tip may be in m.
        chain: what moves in the plane.
        seen: (m, 2) points in the plane, or (m, 3) seen from the turntable's axis, in m.
        away: (m,) how far along the plane's normal they are in m, where no turntable takes that up.
        follower: moves the arm, but for a lift.
    """

    arm: Chain | Arm
    points: FloatArray
    angles: FloatArray | None
    places: FloatArray
    lengths: FloatArray
    times: FloatArray
    tolerance: float
    angle_tolerance: float
    path_tolerance: float
    chain: Chain
    seen: FloatArray
    away: FloatArray
    follower: Follower

    @classmethod
    def along(
        cls,
        arm: Chain | Arm,
        points: FloatArray,
        angles: FloatArray | None,
        tolerances: tuple[float, float, float],
    ) -> Route:
        """Return the route along points, at angles if there are any."""
        steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
        sizes = steps
        if angles is not None:
            turns = np.diff(angles)
            turns -= 2 * np.pi * np.rint(turns / (2 * np.pi))
            angles = angles[0] + np.append(0.0, np.cumsum(turns))
            sizes = np.hypot(steps, _RADIAN * arm.size * turns)
        places = np.append(0.0, np.cumsum(sizes))
        new = np.append(True, np.diff(places) > 0)
        times = np.diff(np.append(np.flatnonzero(new), len(points)))
        lengths = np.append(0.0, np.cumsum(steps))[new]
        some = None if angles is None else angles[new]
        points = points[new]
        if not isinstance(arm, Arm):
            chain, seen, away = arm, points, np.zeros(len(points))
        elif arm.sweep is not None:
            chain, seen, away = arm.chain, arm.sweep.located(points), np.zeros(len(points))
        else:
            local = (points - arm.plane.origin) @ np.array(arm.plane.axes).T
            chain, seen, away = arm.chain, local[:, :2], local[:, 2]
        turntable = arm.solver.twin() if isinstance(arm, Arm) and arm.sweep is not None else None
        follower = Follower(turntable.chain if turntable else chain.solver.twin(), turntable)
        return cls(
            arm, points, some, places[new], lengths, times, *tolerances, chain, seen, away, follower
        )

    @property
    def last(self) -> float:
        """The place of the last point."""
        return float(self.places[-1])

    @cached_property
    def least(self) -> float:
        """The shortest step."""
        scale = np.abs(self.points).max() + self.last + self.arm.size
        return float(max(_LEAST * self.tolerance, _ROUNDING * scale))

    def point_at(self, places: FloatArray) -> FloatArray:
        """Return the points (k, 2) or (k, 3) at places (k,), in m."""
        return np.stack([np.interp(places, self.places, xs) for xs in self.points.T], axis=-1)

    def angle_at(self, places: FloatArray) -> FloatArray:
        """Return the tip angles (k,) at places (k,) in rad."""
        angles = np.zeros(len(self.places)) if self.angles is None else self.angles
        return np.interp(places, self.places, angles)

    def length_at(self, places: FloatArray) -> FloatArray:
        """Return how far along the path places (k,) are, in m."""
        return np.interp(places, self.places, self.lengths)

    def distance(self, q: FloatArray, place: float) -> float:
        """Return how far from a place the tip is in a pose, in m."""
        tip = self.arm.forward(q) if isinstance(self.arm, Arm) else self.arm.forward(q)[-1]
        return float(np.linalg.norm(tip - self.point_at(np.array([place]))[0]))

    # --- poses at a place ---

    def solve(self, place: float, start: FloatArray | None) -> Solution:
        """Solve for a place from a start."""
        at = np.array([place])
        return solve(
            self.arm,
            self.point_at(at)[0],
            start=start,
            tolerance=self.tolerance,
            angle=None if self.angles is None else float(self.angle_at(at)[0]),
            angle_tolerance=self.angle_tolerance,
        )

    def solve_from(self, place: float, starts: FloatArray, bend: str = 'nearest') -> Batch:
        """Solve for a place from many starts (k, n)."""
        at = np.full(len(starts), place)
        return solve_batch(
            self.arm,
            self.point_at(at),
            start=starts,
            bend=bend,
            tolerance=self.tolerance,
            angle=None if self.angles is None else self.angle_at(at),
            angle_tolerance=self.angle_tolerance,
        )

    def beyond(self, way: Way) -> tuple[float, Solution]:
        """Return the first place beyond the end of a way, and its answer.

        Rounding decides about the very first; so it is a little farther if that is not reached.
        """
        for steps in (1, 10, 100):
            place = min(way.end + steps * self.least, self.last)
            answer = self.solve(place, way.q[-1])
            if answer.status != 0:
                break
        return place, answer

    # --- moves ---

    @cached_property
    def bar(self) -> float:
        """The place at which the path leaves the plane, or a lift's travel; else the last one."""
        ends = [0.0, 0.0]
        if isinstance(self.arm, Arm) and self.arm.lift is not None:
            ends = sorted(self.arm.lift.axis * end for end in self.arm.travel)
        lower, upper = ends[0] - self.tolerance, ends[1] + self.tolerance
        missed = np.flatnonzero((self.away < lower) | (self.away > upper))
        if not len(missed):
            return self.last
        k = max(1, int(missed[0]))
        bound = lower if self.away[k] < lower else upper
        share = (bound - self.away[k - 1]) / (self.away[k] - self.away[k - 1])
        return float(self.places[k - 1] + share * (self.places[k] - self.places[k - 1]))

    def follow(self, q: FloatArray, place: float, back: bool = False) -> Way:
        """Follow the route from a pose at a place, to its end or back to its beginning.

        Returns:
            The poses in the order in which they are found, with the first one. That the last one is
            at the end means that the arm gets there.
        """
        goal = 0.0 if back else self.bar
        low, high = sorted((place, goal))
        if high <= low:
            return Way(np.array([place]), q[None])
        inside = self.places[(self.places > low) & (self.places < high)]
        places = np.concatenate([[low], inside, [high]])
        points = np.stack([np.interp(places, self.places, xs) for xs in self.seen.T], axis=-1)
        angles = np.empty(0) if self.angles is None else self.angle_at(places)
        if back:
            places, points, angles = -places[::-1], points[::-1], angles[::-1]
        found, poses = self._run(places, points, angles, q)
        found = -found if back else found
        if isinstance(self.arm, Arm) and self.arm.lift is not None:
            heights = self.arm.lift.axis * np.interp(found, self.places, self.away)
            poses = np.column_stack([np.clip(heights, *self.arm.travel), poses])
        return Way(np.append(place, found), np.concatenate([q[None], poses]))

    def _run(
        self, places: FloatArray, points: FloatArray, angles: FloatArray, q: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return places and poses of all that is not a lift, beyond the first."""
        some = self._moved(q)
        joints = len(some)
        course = Course(
            _packed(places),
            _packed(points),
            _packed(angles),
            joints,
            (self.tolerance, self.angle_tolerance, self.path_tolerance),
            self.least,
            _ROOM,
        )
        self.follower.begin(some)
        parts: list[FloatArray] = []
        poses: list[FloatArray] = []
        while sum(map(len, parts)) < MOST_POSES:
            self.follower.follow(course)
            parts.append(np.frombuffer(course.answers[0])[: course.count].copy())
            poses.append(np.frombuffer(course.answers[1])[: course.count * joints].copy())
            if course.count < course.most:
                break
        return np.concatenate(parts), np.concatenate(poses).reshape(-1, joints)

    def _moved(self, q: FloatArray) -> list[float]:
        """Return the positions of a pose without that of a lift."""
        lifted = isinstance(self.arm, Arm) and self.arm.lift is not None
        positions: list[float] = q[int(lifted) :].tolist()
        return positions

    def strain(self, before: FloatArray, q: FloatArray) -> float:
        """Return how much of what is allowed a move from one pose to another takes."""
        return self.follower.strain_between(
            self.path_tolerance, self._moved(before), self._moved(q)
        )

    def with_repeated(self, way: Way) -> tuple[FloatArray, FloatArray]:
        """Return places and poses, those of points that were asked for repeatedly as often."""
        counts = np.ones(len(way.places), dtype=int)
        if len(counts):
            some = self.places <= way.end
            where = np.searchsorted(way.places, self.places[some])
            counts[where] = self.times[some]
        return np.repeat(way.places, counts), np.repeat(way.q, counts, axis=0)


def _packed(numbers: FloatArray) -> array[float]:
    """Return numbers as the kernel takes them."""
    return array('d', np.ascontiguousarray(numbers).tobytes())
