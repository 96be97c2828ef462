"""Draws the pictures of doc/solvers.md: ``make screenshots``, after those of the page."""

from __future__ import annotations

import cmath
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from figures import sweep
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from ik2d_ros.kinematics import Chain, Status, solve, solve_batch

IMAGES = Path(__file__).resolve().parent.parent / 'doc/images'
BLUE, RED, GREEN, ORANGE, GREY, INK = '#377eb8', '#d1495b', '#2e8b57', '#d98324', '#9aa5b1', 'black'
KINDS = {'reached': (0.2, 0.72), 'shoulder': (-0.7, 0.7), 'elbow': (0.8, 0.9), 'both': (0, -0.9)}
TINTS = ('#cfe2f3', '#f6d5d9', '#d5ead8', '#e5d8ec')
LEAST = 1e-17  # of an error that is drawn


def page(count: int, width: float = 4.0, height: float = 4.2) -> tuple[Figure, list[Axes]]:
    figure = Figure((width * count, height), layout='constrained')
    return figure, list(figure.subplots(1, count, squeeze=False)[0])


def plane(axes: Axes, title: str) -> None:
    axes.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), xticks=[], yticks=[], aspect='equal')
    axes.set_title(title, fontsize=10)


def draw(axes: Axes, points: Sequence[complex], colour: str, **style) -> None:
    x, y = np.real(points), np.imag(points)
    axes.plot(x, y, '-o', color=colour, mfc='white', lw=2.5, **style)
    axes.plot(x[-1], y[-1], 'o', color=colour)


def cross(axes: Axes, target: complex) -> None:
    axes.plot(target.real, target.imag, '+', color=INK, ms=13, mew=2, zorder=8)


def solved(chain: Chain, target: complex, **options) -> list[complex]:
    return posed(chain, solve(chain, (target.real, target.imag), **options).q)


def posed(chain: Chain, q: Sequence[float]) -> list[complex]:
    return (chain.forward(q) @ (1, 1j)).tolist()


def bends() -> Figure:
    figure, (axes,) = page(1, 5.0)
    chain, distances = Chain.from_lengths([0.5, 0.5]), np.logspace(-15, -0.01, 120)
    elbows = np.arccos(np.clip(2.0 * distances**2 - 1.0, -1.0, 1.0))
    cosine = np.stack([0.3 - elbows / 2.0, elbows], axis=1)  # of an isosceles triangle
    targets = np.stack([distances * np.cos(0.3), distances * np.sin(0.3)], axis=1)
    corner = solve_batch(chain, targets, 'two_bone', tolerance=1e-15).q
    for q, label, colour in ((cosine, 'arc cosine', RED), (corner, 'corner', BLUE)):
        off = np.linalg.norm(chain.forward(q)[:, -1] - targets, axis=1)
        axes.loglog(distances, np.maximum(off, LEAST), '.', color=colour, label=label)
        print(f'{label}: the tip is off by up to {off.max():.1e} reaches')
    axes.set(xlabel='distance of the target from the base, in reaches')
    axes.set_title('two equal links, folded: error of the tip, in reaches', fontsize=10)
    axes.legend()
    return figure


def limits() -> Figure:
    figure, (axes,) = page(1, 5.0, 5.2)
    chain = Chain.from_lengths([0.6, 0.4], [(-0.6, 1.4), (0.5, 2.4)])
    ticks = np.linspace(-1.1, 1.1, 400)
    answers = solve_batch(chain, np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2))
    is_held = np.isclose(answers.q, chain.lower) | np.isclose(answers.q, chain.upper)
    kind = np.where(answers.status == Status.REACHED, 0, is_held @ (1, 2))
    shown = {'cmap': ListedColormap(TINTS), 'origin': 'lower', 'extent': (-1.1, 1.1, -1.1, 1.1)}
    plane(axes, 'which joints are at a limit in the closest pose')
    axes.imshow(kind.reshape(400, 400), **shown)
    for text, place in KINDS.items():
        axes.annotate(text, place, ha='center')
    for target, colour in ((0.1 - 0.75j, RED), (0.9 + 0.75j, GREEN), (-0.9 + 0.35j, ORANGE)):
        points = solved(chain, target)
        draw(axes, points, colour)
        missing = np.array([points[-1], target])
        axes.plot(missing.real, missing.imag, ':', color=colour)
        cross(axes, target)
    return figure


def convergence() -> Figure:
    figure, all_axes = page(2, 4.2, 3.5)
    six, curled = [1.0 / 6.0] * 6, np.linspace(0.9, 0.2, 6)
    for axes, lengths, start, target, title in (
        (all_axes[0], six, curled, cmath.rect(0.98, 1.0), '6 links, near the edge'),
        (all_axes[1], [0.6, 0.4], [0.0, 0.0], 0.5 + 0j, '2 links, in line with the target'),
    ):
        chain, links = Chain.from_lengths(lengths), lengths * np.exp(1j * np.cumsum(start))
        errors = np.zeros((2, 30))
        for i in range(30):
            sweep(links, target)
            how = {'solver': 'ccd', 'start': start, 'tolerance': 1e-15, 'max_iterations': i + 1}
            errors[:, i] = abs(links.sum() - target), abs(solved(chain, target, **how)[-1] - target)
        for row, label, colour in zip(errors, ('sweeps alone', '`ccd`'), (RED, BLUE), strict=True):
            axes.semilogy(range(1, 31), np.maximum(row, LEAST), '.-', color=colour, label=label)
        axes.set(xlabel='passes', ylim=(1e-18, 3.0))
        axes.set_title(title, fontsize=10)
    all_axes[0].set(ylabel='distance from the target, in reaches')
    all_axes[0].legend()
    return figure


def three_solvers() -> Figure:
    figure, all_axes = page(5, 3.1, 2.9)
    two = (Chain.from_lengths([0.5, 0.5]), [0.9, -1.6], 0.1 + 0.7j)
    five = (Chain.from_lengths([0.2] * 5), [0.4, 0.5, -0.7, 0.4, 0.3], 0.05 + 0.72j)
    cases = (('two_bone', two), ('ccd', two), ('hybrid', two), ('ccd', five), ('hybrid', five))
    for axes, (solver, (chain, start, target)) in zip(all_axes, cases, strict=True):
        how = {'solver': solver, 'start': start}
        passes = solve(chain, (target.real, target.imag), **how).iterations
        plane(axes, f'{solver}, {len(start)} links, passes: {passes}')
        axes.set(xlim=(-0.4, 0.95), ylim=(-0.1, 1.0))
        draw(axes, posed(chain, start), GREY)
        for number in range(1, passes):
            draw(axes, solved(chain, target, max_iterations=number, **how), ORANGE, alpha=0.5)
        draw(axes, solved(chain, target, **how), BLUE)
        cross(axes, target)
    return figure


if __name__ == '__main__':
    for picture in (bends, limits, convergence, three_solvers):
        picture().savefig(IMAGES / f'{picture.__name__}.png', dpi=110)
        print(f'doc/images/{picture.__name__}.png')
