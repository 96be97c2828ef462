"""The pictures of docs/solvers.md, drawn from the solvers themselves.

python scripts/solver_pictures.py [DIRECTORY]      (default: docs/images)
"""

from __future__ import annotations

import cmath
import math
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from ik2d_ros.arm.area import reach_area
from ik2d_ros.commands.drawing import AREA, EDGE, INK, fill_area
from ik2d_ros.kinematics import Chain, Status, solve, solve_batch
from ik2d_ros.kinematics.descent.ccd import sweep
from ik2d_ros.kinematics.descent.closing import close_all, close_two
from ik2d_ros.kinematics.descent.stock import nearest, stock
from ik2d_ros.kinematics.pose import Pose, Problem, at
from ik2d_ros.kinematics.reach import elbow_bend, folded

FOLDER = Path(__file__).resolve().parent.parent / 'docs' / 'images'
RED, GREEN, PURPLE, ORANGE = '#d1495b', '#2e8b57', '#8e5ea2', '#d98324'
SIX = (EDGE, RED, GREEN, PURPLE, ORANGE, INK)
KINDS = ('even', 'mostly at limits', 'near lower', 'near upper', 'near straight', 'arcs')
DPI = 110


def draw_annulus(axes: Axes, chain: Chain) -> None:
    """Draw the edges of the reach without joint limits."""
    for radius in chain.reach:
        axes.add_patch(Circle((0.0, 0.0), radius, fill=False, edgecolor=INK, linestyle='--'))


def main(arguments: Sequence[str]) -> int:
    folder = Path(arguments[0]) if arguments else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for picture in PICTURES:
        file = folder / f'{picture.__name__}.png'
        picture().savefig(file, dpi=DPI)
        print(file)
    return 0


def page(panels: int, height: float = 4.0, width: float = 4.0) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(width * panels, height), layout='constrained')
    return figure, list(figure.subplots(1, panels, squeeze=False)[0])


def plane(axes: Axes, title: str, half: float = 1.15) -> Axes:
    axes.set(xlim=(-half, half), ylim=(-half, half), xticks=[], yticks=[])
    axes.set_aspect('equal')
    axes.set_title(title, fontsize=10)
    return axes


def links(axes: Axes, points: Sequence[complex], colour: str, label: str = '', **style) -> None:
    style = {'linewidth': 2.6, 'linestyle': '-', **style}
    axes.plot(
        [p.real for p in points],
        [p.imag for p in points],
        'o',
        color=colour,
        markersize=5,
        markerfacecolor='white',
        zorder=6,
        label=label or None,
        **style,
    )
    axes.plot(points[-1].real, points[-1].imag, 'o', color=colour, markersize=5, zorder=7)


def cross(axes: Axes, target: complex, label: str = 'target') -> None:
    axes.plot(
        target.real,
        target.imag,
        '+',
        color=INK,
        markersize=13,
        markeredgewidth=2,
        zorder=8,
        label=label,
    )


def pose(lengths: Sequence[float], bends: Sequence[float], target: complex = 0j) -> Pose:
    return at(Problem(lengths, None, target), bends)


def annulus() -> Figure:
    figure, (far, near, closed) = page(3)
    for axes, lengths, shape, title in (
        (far, (0.5, 0.3, 0.2), 'straight', 'farthest: straight'),
        (near, (0.2, 0.6, 0.2), 'folded', 'nearest: the longest link against all others'),
        (closed, (0.15, 0.2, 0.2, 0.12, 0.18, 0.15), 'folded', 'no hole: three runs close up'),
    ):
        draw_annulus(plane(axes, title), Chain.from_lengths(lengths))
        bends = [0.0] * len(lengths) if shape == 'straight' else folded(lengths)
        bends[0] += 0.5
        points = pose(lengths, bends).points
        if shape == 'folded' and axes is near:  # Drawn apart, or the links would hide each other.
            side = 0.03j * cmath.exp(0.5j)
            for run in range(len(lengths)):
                shift = (run - 1) * side
                links(axes, [points[run] + shift, points[run + 1] + shift], (RED, EDGE, GREEN)[run])
        elif axes is closed:
            directions = np.round(np.cumsum(bends), 9).tolist()
            turns = list(dict.fromkeys(directions))
            for i, direction in enumerate(directions):
                colour = (RED, EDGE, GREEN)[turns.index(direction)]
                links(axes, points[i : i + 2], colour)
        else:
            links(axes, points, EDGE)
    return figure


def bends() -> Figure:
    figure, (both, accuracy) = page(2, width=5.0, height=4.4)
    chain = Chain.from_lengths([0.6, 0.4])
    target = 0.55 + 0.45j
    draw_annulus(plane(both, 'two bends reach a target'), chain)
    for bend, colour in (('positive', EDGE), ('negative', RED)):
        answer = solve(chain, (target.real, target.imag), bend=bend)
        points = chain.forward(answer.q) @ (1, 1j)
        links(both, points.tolist(), colour, f'elbow {answer.q[1]:+.2f} rad')
    both.plot([0, target.real], [0, target.imag], ':', color=INK, linewidth=1.2)
    cross(both, target)
    both.legend(loc='lower left', fontsize=8)

    gaps = np.logspace(-15, -0.5, 120)
    for name, formula, colour in (
        ('arc cosine', by_arc_cosine, RED),
        ('half angle', elbow_bend, EDGE),
    ):
        off = [bend_error(formula, 0.6, 0.4, gap) for gap in gaps]
        accuracy.loglog(gaps, np.maximum(off, 1e-17), '.', color=colour, markersize=4, label=name)
    accuracy.set_xlabel('distance of the target from the outer edge, in reaches')
    accuracy.set_ylabel('error of the elbow angle, rad (none: 1e-17)')
    accuracy.set_title('the same angle by two formulas', fontsize=10)
    accuracy.legend(fontsize=8)
    accuracy.grid(alpha=0.2)
    return figure


def by_arc_cosine(a: float, b: float, distance: float) -> float:
    cosine = (distance * distance - a * a - b * b) / (2.0 * a * b)
    return math.acos(min(1.0, max(-1.0, cosine)))


def bend_error(formula: Callable[..., float], a: float, b: float, gap: float) -> float:
    """Error in rad of a formula for the bend, ``gap`` away from the outer edge.

    The yardstick is ``sin^2(bend / 2) = ((a + b)^2 - d^2) / 4 a b``, in fractions up to the root.
    """
    distance = a + b - gap
    outer = Fraction(a) + Fraction(b)
    square = (outer**2 - Fraction(distance) ** 2) / (4 * Fraction(a) * Fraction(b))
    return abs(formula(a, b, distance) - 2.0 * math.asin(math.sqrt(square)))


def limits() -> Figure:
    figure, (kinds, example) = page(2, width=4.6, height=4.8)
    chain = Chain.from_lengths([0.6, 0.4], [(-0.6, 1.4), (0.5, 2.4)])
    ticks = np.linspace(-1.15, 1.15, 400)
    grid = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
    answers = solve_batch(chain, grid)
    stops = [
        np.isclose(answers.q[:, i], chain.lower[i]) | np.isclose(answers.q[:, i], chain.upper[i])
        for i in (0, 1)
    ]
    kind = np.where(answers.status == Status.REACHED, 0, 1 + stops[0] + 2 * stops[1])
    colours = ListedColormap([AREA, '#ffffff', '#f6d5d9', '#d5ead8', '#e5d8ec'])
    plane(kinds, 'which joints the closest pose has at a limit').imshow(
        kind.reshape(400, 400), colours, vmin=0, vmax=4, origin='lower', extent=(-1.15, 1.15) * 2
    )
    for text, place in zip(
        ('reached', 'shoulder', 'elbow', 'both'),
        (label_place(kind == k, grid) for k in (0, 2, 3, 4)),
        strict=True,
    ):
        kinds.annotate(text, place, ha='center', va='center', fontsize=9, color=INK)

    fill_area(plane(example, 'closest poses to three targets'), reach_area(chain), 'reachable')
    for target, colour in (((0.1, -0.75), RED), ((0.9, 0.75), GREEN), ((-0.9, 0.35), PURPLE)):
        answer = solve(chain, target)
        points = (chain.forward(answer.q) @ (1, 1j)).tolist()
        links(example, points, colour)
        example.plot([target[0], points[-1].real], [target[1], points[-1].imag], ':', color=colour)
        cross(example, complex(*target))
    return figure


def label_place(mask: np.ndarray, grid: np.ndarray) -> tuple[float, float]:
    """Return a point of a region that is far from all others and from the rim of the picture."""
    inside, outside = grid[mask][::37], grid[~mask][::37]
    away = np.hypot(*(inside[:, None] - outside[None]).transpose(2, 0, 1)).min(axis=1)
    rim = 1.15 - np.abs(inside).max(axis=1)
    x, y = inside[np.minimum(away, rim).argmax()]
    return float(x), float(y)


def local_minimum() -> Figure:
    """Figure 3 of the article on CCD: two bones in line with a target between base and tip."""
    figure, (begin, stuck, out) = page(3, height=3.0)
    problem = Problem((0.6, 0.4), None, 0.5 + 0j)
    begun = at(problem, [0.0, 0.0])
    after = sweep(problem, begun)
    again = sweep(problem, after)
    closed = close_two(problem, after)
    for axes, shown, colour, title in (
        (begin, begun, EDGE, f'start: {begun.error:.2f} away'),
        (stuck, again, RED, f'after one sweep, or any number: {again.error:.2f} away'),
        (out, closed, GREEN, f'closed with two joints: {closed.error:.0e} away'),
    ):
        plane(axes, title, 1.1).set_ylim(-0.55, 0.55)
        points = shown.points
        if axes is stuck:  # The second bone lies on the first.
            points = [points[0], points[1], points[1] + 0.05j, points[2] + 0.05j]
        links(axes, points, colour)
        cross(axes, problem.target)
    return figure


def three_solvers() -> Figure:
    """Draw how each solver moves the same arms from the same starts to the same targets."""
    figure, all_axes = page(5, height=3.6, width=3.1)
    two = (Chain.from_lengths([0.5, 0.5]), [0.9, -1.6], 0.1 + 0.7j)
    five = (Chain.from_lengths([0.2] * 5), [0.4, 0.5, -0.7, 0.4, 0.3], 0.05 + 0.72j)
    cases = (('two_bone', two), ('ccd', two), ('hybrid', two), ('ccd', five), ('hybrid', five))
    for axes, (solver, (chain, start, target)) in zip(all_axes, cases, strict=True):
        plane(axes, f'{solver}, {len(chain)} links').set(xlim=(-0.4, 0.95), ylim=(-0.1, 1.35))
        goal = target.real, target.imag
        answer = solve(chain, goal, solver, start)
        shapes = [start]
        for passes in range(1, answer.iterations):
            part = solve(chain, goal, solver, start, max_iterations=passes)
            shapes.append(part.q.tolist())
        for number, q in enumerate(shapes):
            fade = 0.3 + 0.6 * number / len(shapes)
            label = ('start', 'after a pass', '')[min(number, 2)]
            points = (chain.forward(q) @ (1, 1j)).tolist()
            links(axes, points, ORANGE if number else INK, label, linewidth=1.6, alpha=fade)
        points = (chain.forward(answer.q) @ (1, 1j)).tolist()
        passes = answer.iterations
        words = f'after {passes} pass{"es" * (passes > 1)}' if passes else 'closed form'
        links(axes, points, EDGE, words)
        cross(axes, target)
        axes.legend(loc='upper right', fontsize=8)
    return figure


def closure() -> Figure:
    figure, (two, family, curve) = page(3, height=4.2, width=4.4)
    lengths = [1.0 / 6.0] * 6
    problem = Problem(lengths, None, 0.35 + 0.42j)
    begun = at(problem, [0.2, 0.3, -0.5, 0.6, 0.4, -0.3])
    closed = close_two(problem, begun)
    plane(two, 'two joints close it, the rest is rigid', 0.85)
    links(two, begun.points, '#9aa5b1', 'before')
    links(two, closed.points, EDGE, 'after')
    turned = [i for i in range(6) if abs(closed.bends[i] - begun.bends[i]) > 1e-9]
    for i in turned:
        two.plot(closed.points[i].real, closed.points[i].imag, 'o', color=RED, markersize=9)
    cross(two, problem.target)
    two.legend(loc='lower left', fontsize=8)

    far = Problem(lengths, None, cmath.rect(0.93, 0.6))
    curled = at(far, [0.2, 1.9, -2.4, 2.2, 1.5, -2.0])
    goal = [curled.bends[0], *[0.0] * 5]
    shares = np.linspace(0.0, 1.0, 201)
    shapes = [
        at(far, [(1 - s) * a + s * b for a, b in zip(curled.bends, goal, strict=True)])
        for s in shares
    ]
    plane(family, 'from a curled shape to the straight one')
    for number in range(0, 201, 25):
        fade = 0.25 + 0.6 * number / 200
        links(family, shapes[number].points, EDGE, linewidth=1.2, alpha=fade)
    links(family, close_all(far, curled).points, GREEN, 'closed')
    cross(family, far.target)
    family.legend(loc='lower left', fontsize=8)

    distances = [abs(shape.points[-1]) for shape in shapes]
    curve.plot(shares, distances, color=EDGE)
    curve.axhline(abs(far.target), color=INK, linestyle='--', linewidth=1)
    curve.annotate('target', (0.02, abs(far.target) + 0.015), fontsize=9)
    curve.set_xlabel('share of the way to straight')
    curve.set_ylabel('distance of the tip from the base, in reaches')
    curve.set_title('it starts below the target and ends above', fontsize=10)
    return figure


def convergence() -> Figure:
    figure, all_axes = page(3, height=3.6, width=4.2)
    six = [1.0 / 6.0] * 6
    for axes, lengths, target, title in (
        (all_axes[0], six, 0.5 + 0.3j, '6 links, amid the reach'),
        (all_axes[1], six, cmath.rect(0.98, 1.0), '6 links, near the edge'),
        (all_axes[2], [0.6, 0.4], 0.5 + 0j, '2 links, in line with the target'),
    ):
        n = len(lengths)
        chain = Chain.from_lengths(lengths)
        start = np.zeros(n) if n == 2 else np.linspace(0.9, 0.2, n)
        errors = []
        for passes in range(1, 31):
            answer = solve(
                chain,
                (target.real, target.imag),
                'ccd',
                start,
                tolerance=1e-15,
                max_iterations=passes,
            )
            errors.append(max(answer.error, 1e-17))
        axes.semilogy(range(1, 31), errors, 'o-', color=EDGE, markersize=3, label='ccd')
        problem = Problem(lengths, None, target)
        swept, errors = at(problem, start.tolist()), []
        for _ in range(30):
            swept = sweep(problem, swept)
            errors.append(max(swept.error, 1e-17))
        axes.semilogy(range(1, 31), errors, 's-', color=RED, markersize=3, label='sweeps alone')
        axes.set_title(title, fontsize=10)
        axes.set_xlabel('passes')
        axes.set_ylim(1e-18, 3)
        axes.grid(alpha=0.2)
    all_axes[0].set_ylabel('distance from the target, in reaches')
    all_axes[0].legend(fontsize=8)
    return figure


def search() -> Figure:
    figure, (tips, starts) = page(2, width=4.8, height=4.8)
    chain = Chain.from_lengths([0.45, 0.35, 0.2], [(-1.2, 1.2), (0.2, 2.3), (-1.5, 1.5)])
    poses = stock(chain)
    fill_area(
        plane(tips, 'tips of the stock, a colour for each kind'), reach_area(chain), 'reachable'
    )
    for points, kind, colour in zip(poses.tips, KINDS, SIX, strict=True):
        tips.plot(points.real, points.imag, '.', color=colour, markersize=1.6, label=kind)
    tips.legend(loc='lower left', fontsize=8, markerscale=6)

    target = 0.62 + 0.05j
    fill_area(
        plane(starts, 'starts nearest to a target, and an answer'), reach_area(chain), 'reachable'
    )
    for bends_ in nearest(poses, np.array([target]), 1)[:, 0].T:
        links(starts, pose(chain.lengths, bends_.tolist()).points, '#9aa5b1', linewidth=1.4)
    answer = solve(chain, (target.real, target.imag))
    links(starts, (chain.forward(answer.q) @ (1, 1j)).tolist(), EDGE)
    cross(starts, target)
    return figure


PICTURES = (
    annulus, bends, limits, local_minimum, three_solvers, closure, convergence, search,
)  # fmt: skip

if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
