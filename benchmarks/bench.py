"""The benchmarks of the package, beside other solvers: ``make bench``.

Prints tables, success beside every time, and whether the package keeps what it promises. Ends with
status 1 where a target that can be reached was not; times depend on the machine and only warn.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from pathlib import Path

import angles
import batches
import in_space
import in_turn
import numpy as np
import single
import success
from contest import Team, assemble
from passes import passes
from tables import NODE_MARK, Report, machine, show

RERUN = 'make bench'
METHOD = (
    'Every arm has a reach of 1 m, so that a distance in m is a share of the reach. All contenders '
    'get the same targets and starts, in the form that each likes best, prepared beforehand. They '
    'run in processes of their own and solve in turn, a slice of the problems at a time, so that '
    'whatever else the machine does hits all of them alike. The time of one solve is the mean over '
    'the problems of the median over the repetitions, in processor time of the solving thread. '
    'Whether a target was reached is judged by a forward kinematics of the benchmark, not by the '
    'solvers.'
)


def heading(team: Team) -> str:
    """Return what was measured, where, and how."""
    peers = [
        f'{name} {version}'.strip()
        for name, version in team.versions.items()
        if name in single.NAMES
    ]
    absent = [f'* {name}: not here ({reason})' for name, reason in team.missing.items()]
    lines = [
        '# Benchmarks',
        '',
        f'Written from one run by `{RERUN} WRITE=docs/benchmarks.md`; `{RERUN}` prints it anew.',
        '',
        f'* Machine: {machine()}',
        f'* Python {platform.python_version()}, NumPy {np.__version__}',
        *([f'* Peers, each in an environment of its own: {", ".join(peers)}'] if peers else []),
        *absent,
        '',
        METHOD,
        '',
    ]
    return '\n'.join(lines)


def main() -> int:
    """Run everything; the process status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--quick', action='store_true', help='fewer problems, no peers: about 20 s')
    parser.add_argument('--no-peers', action='store_true', help='leave the other solvers out')
    parser.add_argument('--write', type=Path, metavar='FILE', help='write the tables there too')
    parser.add_argument('--json', type=Path, metavar='FILE', help='write everything as JSON')
    options = parser.parse_args()
    report = Report()
    with assemble(with_peers=not (options.quick or options.no_peers)) as team:
        parts = [
            *(
                lambda part=part: part(team, report, options.quick)
                for part in (
                    single.against_others,
                    single.growth,
                    success.without_limits,
                    success.with_limits,
                    success.paths,
                    angles.against_others,
                )
            ),
            *(
                lambda part=part: part(report, options.quick)
                for part in (
                    passes,
                    batches.two_bone,
                    batches.memory,
                    batches.descents,
                    in_space.ratios,
                    in_turn.fleets,
                    angles.batches,
                )
            ),
        ]
        verdicts = show(report, parts)
        top = heading(team)
        for name, reason in team.missing.items():
            print(f'{name}: not here ({reason})')
    if options.write:
        body = [top, *(table.markdown() for table in (verdicts, *report.tables))]
        options.write.parent.mkdir(parents=True, exist_ok=True)
        before = options.write.read_text() if options.write.is_file() else ''
        _, mark, node = before.partition(NODE_MARK)
        options.write.write_text('\n'.join([*body, f'{mark}{node}']).rstrip() + '\n')
    if options.json:
        options.json.write_text(json.dumps(report.as_dict(), indent=1))
    return 1 if report.failures else 0


if __name__ == '__main__':
    sys.exit(main())
