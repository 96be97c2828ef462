"""The words of a drawing: what came of a target, and the table of the joints; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.projections import LONGEST_NAME
from ik2d_ros.kinematics import Chain, Solution
from ik2d_ros.node.outcome import Code
from ik2d_ros.parameters.wording import printable


def outcome(chain: Chain, target: Sequence[float], solution: Solution) -> str:
    """Describe a target and its outcome, short enough for a legend."""
    digits = max(0, 2 - math.floor(math.log10(chain.reach.outer or 1.0)))
    place = ', '.join(f'{round(value, digits) + 0.0:.{digits}f}' for value in target)
    code = Code.of(solution.status)
    return f'({place}): {code.name}{code.miss(solution)}'


def reach_words(chain: Chain) -> str:
    """Say what the reach of a chain leaves out."""
    return 'limits of turning joints ignored' if chain.has_slides else 'limits ignored'


def describe(arm: ArmDescription, area: float, most_rows: int) -> str:
    """Format the joints of an arm as a table, with the size of its reachable area (m^2).

    Args:
        arm: the arm; angles are given in degrees, positions of joints that slide in m.
        area: what the tip reaches in the plane.
        most_rows: of the table; more would run off the page.
    """
    names = [printable(name, LONGEST_NAME) for name in arm.names]
    links = [f'{length:.4g}' for length in arm.chain.lengths]
    before = [''] * (len(names) - len(links))
    ranges = [_range(*limits, unit) for limits, unit in zip(arm.limits, arm.units, strict=True)]
    homes = [_home(home, unit) for home, unit in zip(arm.home, arm.units, strict=True)]
    rows = list(zip(names, [*before, *links], ranges, homes, strict=True))
    shown = [('joint', 'link m', 'range deg', 'home'), *rows[:most_rows]]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    lines = []
    for name, *cells in shown:
        right = [cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)]
        lines.append('  '.join([name.ljust(widths[0]), *right]))
    if len(rows) > most_rows:
        lines.append(f'... and {len(rows) - most_rows} more')
    inner, outer = arm.chain.reach
    ring = math.pi * (outer * outer - inner * inner)
    lines += ['', f'reachable area  {area:.3g} m2']
    if ring > 0.0 and not arm.chain.joints[0].slides:  # behind a rail, it is no ring
        lines.append(f'without limits  {ring:.3g} m2')
    return '\n'.join(lines)


def span(lower: float, upper: float, unit: str) -> tuple[str, str]:
    """Format the limits of a joint, without the unit: in degrees, or in m if it slides."""
    if unit == 'm':
        return f'{lower:.4g}', f'{upper:.4g}'
    return f'{math.degrees(lower):.0f}', f'{math.degrees(upper):.0f}'


def _range(lower: float, upper: float, unit: str) -> str:
    if not math.isfinite(lower):
        return 'continuous' if unit == 'rad' else 'no limits'
    return '..'.join(span(lower, upper, unit)) + (' m' if unit == 'm' else '')


def _home(home: float, unit: str) -> str:
    return f'{math.degrees(home):.0f}' if unit == 'rad' else f'{home:.4g} m'
