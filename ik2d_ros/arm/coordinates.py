"""The coordinates of points that people read and write, and in files; no ROS imports."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics.plane import Plane, Vector, Wall, dot, unit_vector
from ik2d_ros.parameters.checks import ConfigError, printable
from ik2d_ros.parameters.file import read_text

LEAN = 5e-3  # rad by which a direction may differ from an axis and still be called by its name
STEEP = 0.7  # part of a plane's normal along z beyond which it counts as level
LONGEST_LINE = 10_000  # characters
LONGEST_ROW = 200  # bytes, on average
LARGEST_NUMBER = 1e9  # in m or rad: squares of larger ones overflow


def axis_name(direction: Sequence[float]) -> str:
    """Return the axis of the base frame along a unit vector, such as x or -z; empty for none."""
    for name, part in zip('xyz', direction, strict=True):
        if abs(part) > math.cos(LEAN):
            return name if part > 0.0 else f'-{name}'
    return ''


def coordinates(arm: ArmDescription) -> str:
    """Return the names of an arm's coordinates: two in a fixed plane along axes, else xyz."""
    across = axis_name(arm.kinematics.plane.axes[2])[-1:] if arm.carrier is None else ''
    return 'xyz'.replace(across, '') if across else 'xyz'


def plane_coordinates(arm: ArmDescription, place: Vector) -> tuple[float, ...]:
    """Return the coordinates of a point by these names, in m, to a tenth of a millimetre."""
    return tuple(round(place['xyz'.index(name)], 4) + 0.0 for name in coordinates(arm))


def to_base_frame(arm: ArmDescription, numbers: Sequence[float]) -> Vector | None:
    """Return the point in m that has such coordinates; None if their number is wrong."""
    names = coordinates(arm)
    if len(numbers) != len(names):
        return None
    given = dict(zip('xyz', arm.kinematics.plane.origin, strict=True))
    x, y, z = (given | dict(zip(names, numbers, strict=True))).values()
    return x, y, z


class Elevation(NamedTuple):
    """Directions in an arm's plane as people read them.

    Attributes:
        sense: +1 or -1, of the angles in the plane.
        zero: the direction of the plane's x-axis, in rad.
    """

    sense: float
    zero: float

    def read(self, angle: float) -> float:
        """Return the direction at an angle in the plane, in rad."""
        return math.remainder(self.sense * angle + self.zero, math.tau)

    def angle(self, direction: float) -> float:
        """Return the angle in the plane of a direction, in rad."""
        return math.remainder(self.sense * (direction - self.zero), math.tau)


def last_link(arm: ArmDescription) -> Elevation:
    """Return how the direction of the last link is read, by the tip angle."""
    sense, zero = elevation(arm)
    return Elevation(sense, zero + sense * arm.chain.joints[-1].direction)


def elevation(arm: ArmDescription) -> Elevation:
    """Return how directions in the plane are read.

    In an upright plane they count from the horizon, upwards positive: from the side of a
    turntable's axis that the tip is on at home, or from an axis of the base frame. In a level one
    they count from the plane's x-axis.
    """
    plane = arm.plane_at(arm.home)
    right, up, normal = upright(plane.axes[2]).axes
    if abs(normal[2]) >= STEEP:
        return Elevation(1.0, 0.0)
    ahead = sum(right)
    if (turning := arm.kinematics.turning_plane) is not None:
        x, y, z = arm.kinematics.forward(arm.home).tolist()
        ahead = dot(right, (x, y, z)) - dot(right, turning.frame.origin)
    forward = 1.0 if ahead >= 0.0 else -1.0
    x_axis, y_axis, _ = plane.axes
    zero = math.atan2(dot(up, x_axis), forward * dot(right, x_axis))
    sense = forward * (dot(right, x_axis) * dot(up, y_axis) - dot(up, x_axis) * dot(right, y_axis))
    return Elevation(math.copysign(1.0, sense), zero)


def on_wall(wall: Wall, arm: ArmDescription) -> Plane:
    """Return a frame where a wall stops pivots, beside the arm's base; its z-axis is the normal."""
    axes, base = upright(wall.normal).axes, arm.kinematics.plane.origin
    return Plane(Plane(base, axes).point(0.0, 0.0, -wall.height(*base)), axes)


def upright(normal: Vector, origin: Vector = (0.0, 0.0, 0.0)) -> Plane:
    """Return a frame in a plane: its y-axis is up, or y if the plane is level.

    Its origin is the point of the plane that is next to the origin of the base frame, so that its
    coordinates are those of the base frame where the axes are.

    Args:
        normal: of the plane, of any length but zero; z of the frame.
        origin: a point of the plane in m.
    """
    a, b, c = normal = unit_vector(normal) or normal
    x, y, z = (0.0, 1.0, 0.0) if abs(c) >= STEEP else (0.0, 0.0, 1.0)
    off, away = a * x + b * y + c * z, dot(origin, normal)
    up = unit_vector((x - off * a, y - off * b, z - off * c)) or (x, y, z)
    (x, y, z) = up
    right = y * c - z * b, z * a - x * c, x * b - y * a
    return Plane((away * a, away * b, away * c), (right, up, normal))


def in_base_frame(arm: ArmDescription, target: Sequence[float]) -> Vector:
    """Return a target, X Y in the plane of an arm or X Y Z in the base frame, in the base frame.

    Raises:
        ConfigError: it has no Z where a turntable or a lift carries the plane.
    """
    if len(target) == 3:
        x, y, z = target
        return x, y, z
    if arm.carrier is not None:
        raise ConfigError(
            f'{arm.carrier.name} carries the plane of this arm; a target for it needs Z: X Y Z in '
            f"m in the frame '{arm.base_frame}'"
        )
    return arm.kinematics.plane.point(*target)


def read_rows(
    name: str, forms: Mapping[int, str], most: int
) -> tuple[list[str], dict[int, list[float]]]:
    """Return the names at the top of a file, if it has some, and its rows of numbers by line.

    Each row has a line, with commas, semicolons or spaces between the numbers. Lines that begin
    with # and a line of names at the top are skipped.

    Args:
        name: of the file; - for standard input.
        forms: what a row looks like, by the count of its numbers; all rows have the same count.
        most: largest number of rows.

    Raises:
        ConfigError: it cannot be read, a line is no row, or there are none, or too many.
    """
    names: list[str] = []
    rows: dict[int, list[float]] = {}
    content = read_text('/dev/stdin' if name == '-' else name, LONGEST_ROW * most)
    for number, line in enumerate(content.splitlines(), 1):
        text, where = line.strip(' \t,;'), f'{name}: line {number} is'
        if not text or text.startswith('#'):
            continue
        if len(line) > LONGEST_LINE:
            raise ConfigError(f'{where} too long; {LONGEST_LINE:,} characters are allowed')
        if ';' in text and '.' not in text and re.search(r'\d,\d', text):
            raise ConfigError(
                f"{where} '{printable(text, 80)}': are its commas decimal ones? Numbers must have "
                'a decimal point'
            )
        cells = re.split(r'\s*[,;\s]\s*', text)
        try:
            row = [float(cell) for cell in cells]
        except ValueError:
            row = []
            if number == 1 and all(cell.strip('"\'')[:1].isalpha() for cell in cells):
                names = [cell.strip('"\'') for cell in cells]
                continue
        if len(row) not in forms or not all(abs(x) <= LARGEST_NUMBER for x in row):
            raise ConfigError(
                f"{where} '{printable(text, 80)}'; it must be {' or '.join(forms.values())}, "
                f'finite numbers up to {LARGEST_NUMBER:g}{", as in the lines before" * bool(rows)}'
            )
        forms, rows[number] = {len(row): forms[len(row)]}, row
        if len(rows) > most:
            raise ConfigError(f'{name}: has more than {most:,} points, the most that it may have')
    if not rows:
        raise ConfigError(f'{name}: has no points; a point is {" or ".join(forms.values())}')
    return names, rows
