"""Points for the tip, as people write them: in the plane of the arm or in space; no ROS imports."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.parameters.checks import ConfigError, printable

LINES = re.compile(r'[^\r\n]*(?:\r\n?|\n|\Z)')
LONGEST_LINE = 10_000  # characters
LARGEST_NUMBER = 1e9  # in m or rad: squares of larger ones overflow


def in_base_frame(arm: ArmDescription, target: Sequence[float]) -> Vector:
    """Return a target, X Y in the plane of an arm or X Y Z in the base frame, in the base frame.

    Raises:
        ConfigError: it has other numbers, or no Z where a turntable or a lift carries the plane.
    """
    if len(target) == 3:
        x, y, z = target
        return x, y, z
    in_space = f"X Y Z in m in the frame '{arm.base_frame}'"
    if arm.carrier is not None:
        raise ConfigError(
            f'{arm.carrier.name} carries the plane of this arm; a target for it needs Z: {in_space}'
        )
    if len(target) != 2:
        raise ConfigError(
            f'a target has {len(target)} numbers; it must be X Y in m in the plane, or {in_space}'
        )
    return arm.kinematics.plane.point(*target)


def rows_in(
    content: str, forms: Mapping[int, str], most: int
) -> tuple[list[str], dict[int, list[float]]]:
    """Return the names at the top of a file, if it has some, and its rows of numbers by line.

    Each row has a line, with commas, semicolons or spaces between the numbers. Lines that begin
    with # and a line of names at the top are skipped.

    Args:
        content: of the file.
        forms: what a row looks like, by the count of its numbers; all rows have the same count.
        most: largest number of rows.

    Raises:
        ConfigError: a line is no row, or there are none, or too many.
    """
    names: list[str] = []
    rows: dict[int, list[float]] = {}
    count = 0
    for number, line in enumerate(LINES.finditer(content), 1):
        text = content[line.start() : min(line.end(), line.start() + LONGEST_LINE + 1)]
        text = text.strip(' \t,;\r\n')
        if not text or text.startswith('#'):
            continue
        if line.end() - line.start() > LONGEST_LINE:
            raise ConfigError(f'line {number} is too long; {LONGEST_LINE:,} characters are allowed')
        if ';' in text and '.' not in text and re.search(r'\d,\d', text):
            raise ConfigError(
                f"line {number} is '{printable(text, 80)}': are its commas decimal ones? Numbers "
                'must have a decimal point'
            )
        cells = re.split(r'\s*[,;\s]\s*', text)
        try:
            row = [float(cell) for cell in cells]
        except ValueError:
            bare = [cell.strip('"\'') for cell in cells]
            if number == 1 and all(cell[:1].isalpha() for cell in bare):
                names = bare
                continue
            row = []
        if len(row) not in ({count} if rows else forms) or not all(
            abs(x) <= LARGEST_NUMBER for x in row
        ):
            form = forms[count] if rows else ' or '.join(forms.values())
            raise ConfigError(
                f"line {number} is '{printable(text, 80)}'; it must be {form}, finite "
                f'numbers up to {LARGEST_NUMBER:g}{", as in the lines before" if rows else ""}'
            )
        if len(rows) == most:
            raise ConfigError(f'has more than {most:,} points, the most that it may have')
        rows[number], count = row, len(row)
    if not rows:
        raise ConfigError(f'has no points; a point is {" or ".join(forms.values())}')
    return names, rows
