"""A given path, and an arm's moves along it from a pose."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ik2d_ros.kinematics.arguments import FloatArray, packed
from ik2d_ros.kinematics.arm import Arm
from ik2d_ros.kinematics.batch import solve_batch
from ik2d_ros.kinematics.chain import Chain
from ik2d_ros.kinematics.clearance import collisions, curvature
from ik2d_ros.kinematics.kernel.follower import Follower
from ik2d_ros.kinematics.options import NO_ANGLE
from ik2d_ros.kinematics.plane import Contact
from ik2d_ros.kinematics.solution import Batch, Solution, Status
from ik2d_ros.kinematics.solve import solve

MOST_POSES = 1_000_000  # That are found while a path is judged.
_ROOM = 4096  # Poses that the kernel finds before they are taken over.
_LEAST = 1e-3  # Shortest step as a share of the tolerance,
_ROUNDING = 1e-12  # but not less than this share of all lengths.
_HALVINGS = 14  # Of the part of a move in which it crosses a wall.
_AT_WALL = 1e-5  # Reaches from a wall that count as at it.
_SAFETY, _LARGEST_MOVE = 4, 0.05  # As in the kernel: a share of the tolerance; rad or reaches.
_RADIAN = 0.5  # Reaches along a path that turning the tip by a radian counts as much as.


@dataclass(frozen=True, eq=False)
class Way:
    """Poses (k, n) along a route, and their places (k,), which never fall."""

    places: FloatArray
    q: FloatArray

    @property
    def end(self) -> float:
        """The place of the last pose."""
        return float(self.places[-1])

    def then(self, other: Way) -> Way:
        """Return the poses of this way, then those of another one."""
        return Way(np.append(self.places, other.places), np.concatenate([self.q, other.q]))

    def some(self, rows: slice) -> Way:
        """Return some of the poses."""
        return Way(self.places[rows], self.q[rows])

    def between(self, k: int, share: float) -> Way:
        """Return the pose at a share of the move from pose k to the next."""
        (place, end), (q, to) = self.places[k : k + 2], self.q[k : k + 2]
        return Way(np.array([place + share * (end - place)]), (q + share * (to - q))[None])

    def beyond(self, place: float) -> Way:
        """Return the poses beyond a place."""
        return self.some(slice(int(np.searchsorted(self.places, place, 'right')), None))


class Route:
    """A path for an arm. A place is a parameter along it that grows also where the tip only turns.

    Attributes:
        arm: the arm, or the chain in its plane; chain: what moves in the plane.
        points: (m, 2) or (m, 3) in m, no two in a row at one place; places: (m,) of these.
        angles: (m,) of the tip in rad, that turn the shorter way, or None for any.
        rolls: (m,) of an arm that has one in rad, that turn as its limits allow, or None.
        last: the last place; lengths: (m,) of the path up to the points in m.
        tolerances: distance in m that counts as reached, and from the angle in rad.
        path_tolerance, corner_tolerance: how far from the lines the tip may be in m, and where it
            rounds corners, or where it begins.
        least: the shortest step; left: how many more poses may be found.
    """

    def __init__(
        self,
        arm: Chain | Arm,
        points: FloatArray,
        angles: FloatArray | None,
        tolerances: tuple[float, float],
        path_tolerances: tuple[float, float],
        ended: Callable[[], bool] | None,
        rolls: FloatArray | None = None,
    ) -> None:
        """Lay it out along points, at angles if there are any; ``ended`` tells when to give up."""
        steps = sizes = np.linalg.norm(np.diff(points, axis=0), axis=1)
        if angles is not None:
            turns = np.diff(angles)
            turns -= 2 * np.pi * np.rint(turns / (2 * np.pi))
            angles = angles[0] + np.append(0.0, np.cumsum(turns))
            sizes = np.hypot(steps, _RADIAN * arm.size * turns)
        if rolls is not None:
            sizes = np.hypot(sizes, _RADIAN * arm.size * np.diff(rolls))
        places = np.append(0.0, np.cumsum(sizes))
        new = np.append(True, np.diff(places) > 0)
        self.arm = arm
        self.chain = arm.chain if isinstance(arm, Arm) else arm
        self.points, self.places = points[new], places[new]
        self.angles = None if angles is None else angles[new]
        self.rolls = None if rolls is None else rolls[new]
        self.lengths = np.append(0.0, np.cumsum(steps))[new]
        self.last = float(self.places[-1])
        self.tolerances = tolerances
        self.path_tolerance, self.corner_tolerance = path_tolerances
        self.left, self._ended = MOST_POSES, ended
        scale = np.abs(points).max() + self.last + arm.size
        self.least = float(max(_LEAST * tolerances[0], _ROUNDING * scale))
        self._planar, self._seen = arm, self.points
        if isinstance(arm, Arm):
            first = 0.0 if self.rolls is None else float(self._roll_positions(self.rolls)[0])
            self._planar = planar = arm.at_roll(first)
            self._seen = planar.frame.located(self.points)
        self._solver = self._planar.new_solver()

    def is_given_up(self) -> bool:
        """Return whether no more poses may be found."""
        return self.left <= 0 or (self._ended is not None and self._ended())

    def point_at(self, places: FloatArray | float) -> FloatArray:
        """Return the points (..., 2) or (..., 3) at places (...,), in m."""
        return _interpolated(places, self.places, self.points)

    def angle_at(self, places: FloatArray | float) -> Any:
        """Return the tip angles (...,) at places (...,) in rad, or None for any."""
        return None if self.angles is None else np.interp(places, self.places, self.angles)

    def roll_at(self, places: FloatArray | float) -> Any:
        """Return where the roll is asked to be (...,) at places in rad; None without one."""
        return None if self.rolls is None else np.interp(places, self.places, self.rolls)

    # --- poses at a place ---

    def begins_at(self, q: FloatArray) -> bool:
        """Return whether the tip is next to the first point in a pose."""
        tip = self.arm.forward(q) if isinstance(self.arm, Arm) else self.arm.forward(q)[-1]
        return bool(np.linalg.norm(tip - self.points[0]) <= self.corner_tolerance)

    def _asked_at(self, places: FloatArray | float) -> dict[str, Any]:
        tolerance, slack = self.tolerances
        angle, roll = self.angle_at(places), self.roll_at(places)
        return {'tolerance': tolerance, 'angle': angle, 'angle_tolerance': slack, 'roll': roll}

    def solve(self, place: float, start: FloatArray | None) -> Solution:
        """Solve for a place from a start."""
        return solve(self.arm, self.point_at(place), start=start, **self._asked_at(place))

    def solve_from(self, place: float, starts: FloatArray, bend: str = 'nearest') -> Batch:
        """Solve for a place from many starts (k, n)."""
        at = np.full(len(starts), place)
        points, asked = self.point_at(at), self._asked_at(at)
        # Starts are many: those that lead across a wall are left out, not searched from.
        bare = self.arm.without_walls if isinstance(self.arm, Arm) else self.arm
        found = solve_batch(bare, points, start=starts, bend=bend, **asked)
        if self.walled:
            found.status[~self.walled.are_clear(found.q)] = Status.BLOCKED
        return found

    def solve_beyond(self, way: Way) -> tuple[float, Solution]:
        """Return the first place beyond a way, where rounding does not decide, and its answer."""
        for steps in (1, 10, 100):
            place = min(way.end + steps * self.least, self.last)
            answer = self.solve(place, way.q[-1])
            if answer.status is not Status.REACHED:
                break
        return place, answer

    # --- moves ---

    def follow(self, q: FloatArray, place: float, back: bool = False) -> Way:
        """Follow the route from a pose at a place, to its end or back to its beginning.

        Poses are in the order of their places; they end short where the arm cannot go on, or gives
        up.
        """
        low, high = (0.0, place) if back else (place, self.last)
        if high <= low:
            return Way(np.array([place]), q[None])
        inside = self.places[(self.places > low) & (self.places < high)]
        places = np.concatenate([[low], inside, [high]])
        points, angles = _interpolated(places, self.places, self._seen), self.angle_at(places)
        step = -1 if back else 1
        turned = 0.0 if self.rolls is None else float(np.ptp(self.rolls))
        if isinstance(self.arm, Arm) and self.arm.tip_radius * turned > _LEAST * self.tolerances[0]:
            found, poses = self._turning_steps(self.arm, places[::step], q)
        else:
            found, poses = self._steps(
                step * places[::step],
                points[::step],
                np.empty(0) if angles is None else angles[::step],
                q[: len(self._planar)].tolist(),
            )
            found *= step
            if (asked := self.roll_at(found)) is not None:
                poses = np.c_[poses, self._roll_positions(asked)]
        way = Way(np.append(place, found), np.concatenate([q[None], poses]))
        return self._to_wall(self._to_roll_limit(way)).some(slice(None, None, step))

    def _to_roll_limit(self, way: Way) -> Way:
        """Return the poses of a way up to where a limit of the roll forbids what is asked."""
        asked, slack = self.roll_at(way.places), self.tolerances[1]
        if asked is None:
            return way
        off = np.abs(asked - way.q[:, -1])
        if not (off > slack + _ROUNDING).any():
            return way
        k = max(1, int((off > slack + _ROUNDING).argmax()))
        share = max(0.0, (slack - off[k - 1]) / (off[k] - off[k - 1]))
        return way.some(slice(k)).then(way.between(k - 1, share))

    def _to_wall(self, way: Way) -> Way:
        """Return the poses of a way up to where a pivot or the tip meets a wall."""
        arm, q = self.walled, way.q
        if arm is None or len(q) < 2:
            return way
        clear, across = collisions(arm, q[:-1], np.diff(q, axis=0))
        if not np.isfinite(across).any():
            return way
        k = int(np.isfinite(across).argmax())
        low, high = float(clear[k]), float(across[k])
        for _ in range(_HALVINGS):
            share = 0.5 * (low + high)
            is_clear = arm.is_clear((q[k] + share * (q[k + 1] - q[k])).tolist())
            low, high = (share, high) if is_clear else (low, share)
        way_there = way.some(slice(k + 1))
        return way_there.then(way.between(k, low)) if low else way_there

    def contact_at(self, q: FloatArray) -> Contact | None:
        """Return the part that is at a wall at (m,) positions, or None."""
        arm = self.walled
        contact = None if arm is None else arm.contact(q.tolist())
        return contact if arm and contact and contact.depth > -_AT_WALL * arm.size else None

    @property
    def walled(self) -> Arm | None:
        """The arm, if it has walls."""
        return self.arm if isinstance(self.arm, Arm) and self.arm.walls else None

    def _steps(
        self, places: FloatArray, points: FloatArray, angles: FloatArray, q: list[float]
    ) -> tuple[FloatArray, FloatArray]:
        """Return places and poses beyond the first, for the arm at its roll."""
        follower = Follower(
            self._solver,
            q,
            packed(places),
            packed(points),
            packed(angles),
            (*self.tolerances, self.path_tolerance),
            self.least,
            _ROOM,
        )
        found: list[FloatArray] = []
        poses: list[FloatArray] = []
        over = False
        while not over:
            follower.follow()
            over = follower.ended or self.is_given_up()
            if over or follower.count == follower.most:
                count = follower.count
                self.left -= count
                found.append(np.array(follower.answers[0][:count]))
                poses.append(np.array(follower.answers[1][: count * len(q)]).reshape(-1, len(q)))
        return np.concatenate(found), np.concatenate(poses)

    def _turning_steps(
        self, arm: Arm, places: FloatArray, q: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return places and poses beyond the first, while the roll turns a tip beside its axis.

        Moves that are too large are halved.
        """
        at, *ahead = places.tolist()
        ahead.reverse()
        found, poses = list[float](), [q]
        while ahead and not self.is_given_up():
            place = ahead[-1]
            pose, strain = self._move_to(arm, place, poses[-1])
            self.left -= 1
            if strain <= 1.0:
                at = ahead.pop()
                found.append(at)
                poses.append(pose)
            elif abs(place - at) <= self.least:
                break
            else:
                ahead.append(0.5 * (at + place))
        return np.array(found), np.array(poses[1:]).reshape(-1, len(q))

    def _move_to(self, arm: Arm, place: float, before: FloatArray) -> tuple[FloatArray, float]:
        """Return a pose at a place, and the strain of the move to it; infinite if it misses."""
        (tolerance, slack), wanted = self.tolerances, self.angle_at(place)
        roll = float(self._roll_positions(self.roll_at(place)))
        planar = arm.at_roll(roll)
        x, y, z = self.point_at(place).tolist()
        wish = NO_ANGLE if wanted is None else float(wanted)
        positions, error, angle = planar.new_solver(decides=False).step(
            planar.frame.locate((x, y, z)), before[:-1].tolist(), wish, tolerance
        )
        q = np.array([*positions, roll])
        off = 0.0 if wanted is None else abs(math.remainder(wish - angle, math.tau))
        if error > tolerance or off > slack:
            found = self.solve(place, before)
            q, error, off = found.q, found.error, found.angle_error
        moves = np.abs(q - before)
        if error > tolerance or off > slack or error >= self.path_tolerance:
            return q, math.inf
        bow = curvature(arm, moves.tolist(), [0.0] * len(moves)) / 8
        largest = float(np.max(moves[:-1] / arm.units_of_move[:-1]))
        strain = _SAFETY * bow / (self.path_tolerance - error)
        return q, max(strain, (largest / _LARGEST_MOVE) ** 2)

    def _roll_positions(self, asked: Any) -> Any:
        """Return the positions of the roll (...,) next to those asked for, in rad."""
        return np.clip(asked, self.arm.lower[-1], self.arm.upper[-1])


def _interpolated(places: FloatArray | float, known: FloatArray, points: FloatArray) -> FloatArray:
    """Return the points (..., d) at places (...,), from those (m, d) at known places (m,)."""
    return np.stack([np.interp(places, known, xs) for xs in points.T], axis=-1)
