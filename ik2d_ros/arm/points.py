"""Points for the tip, as people write them: in the plane of the arm or in space; no ROS imports."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.kinematics.plane import Vector
from ik2d_ros.parameters.checks import ConfigError, printable
from ik2d_ros.parameters.file import read_text

LONGEST_LINE = 10_000  # characters
LONGEST_ROW = 200  # bytes, on average
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
