"""Nothing around a command gets it down: closed and full outputs, Ctrl-C, encodings, strange names.

Every case is the real program in a process of its own. What must hold in all of them: no traceback,
an exit status that tells the truth, and the reason in one line where somebody can read it.
"""

from __future__ import annotations

import json
import os
import random
import signal
import stat
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from faults import FULL
from harness import PROGRAM_TIMEOUT, ROOT

CLOSED = {'stdout': '>&-', 'stderr': '2>&-', 'stdin': '<&-', 'all': '<&- >&- 2>&-'}
SAYING = {
    'solve': 'solve two_bone 0.3 0.1',
    'urdf': 'urdf two_bone',
    'plot': 'plot two_bone -o {tmp}/reach.png --dpi 20',
    'help': '--help',
    'version': '--version',
}


def shell(
    command: str, redirections: str = '', env: dict[str, str] | None = None, **kwargs: object
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ['bash', '-c', f'exec "$0" -m ik2d_ros.cli {command} {redirections}', sys.executable],
        capture_output=True,
        encoding='utf-8',
        errors='surrogateescape',
        env={**os.environ, **(env or {})},
        check=False,
        timeout=PROGRAM_TIMEOUT,
        **kwargs,
    )


def is_one_clear_line(text: str) -> bool:
    return text.startswith('ik2d') and text.count('\n') == 1 and 'Traceback' not in text


@pytest.mark.parametrize('command', SAYING.values(), ids=SAYING)
@pytest.mark.parametrize(
    ('redirection', 'reason'), [('> /dev/full', 'No space left'), ('>&-', 'Bad file descriptor')]
)
def test_an_answer_that_cannot_be_written_is_a_failure(tmp_path, command, redirection, reason):
    done = shell(command.format(tmp=tmp_path), redirection)
    assert done.returncode == 1
    assert is_one_clear_line(done.stderr)
    assert 'standard output: cannot be written' in done.stderr
    assert reason in done.stderr


@pytest.mark.parametrize('redirection', ['2>&-', '2> /dev/full'])
@pytest.mark.parametrize(
    ('command', 'status'),
    [('solve two_bone 0.3 0.1', 0), ('solve nope 0.3 0.1', 2), ('solve', 2), ('--help', 0)],
)
def test_nobody_has_to_hear_the_complaint(redirection, command, status):
    done = shell(command, redirection)
    assert (done.returncode, done.stderr) == (status, '')
    assert bool(done.stdout) == (status == 0)


WRITING = {'urdf': 'urdf two_bone -o {}/arm.urdf', 'plot': 'plot two_bone -o {}/arm.png'}


@pytest.mark.parametrize('command', WRITING.values(), ids=WRITING)
def test_a_disk_that_is_full_leaves_nothing_half_written(tmp_path, tmp_path_factory, command):
    """A limit on the size of files stands for the disk: writing fails in the middle."""
    file = Path(command.split()[-1].format(tmp_path))
    fonts = tmp_path_factory.mktemp('fonts')  # of Matplotlib, which keeps a list of them
    for before in (None, 'what was there'):
        if before is not None:
            file.write_text(before)
        # Python ignores SIGXFSZ, so that the write fails.
        done = subprocess.run(
            [
                *(
                    'bash',
                    '-c',
                    f'ulimit -f 1; exec "$0" -m ik2d_ros.cli {command}'.format(tmp_path),
                ),
                sys.executable,
            ],
            env={**os.environ, 'PYTHONDONTWRITEBYTECODE': '1', 'MPLCONFIGDIR': str(fonts)},
            capture_output=True,
            text=True,
            timeout=PROGRAM_TIMEOUT,
            check=False,
        )
        assert done.returncode == 1
        assert f'{file}: cannot be written: File too large' in done.stderr
        assert 'Traceback' not in done.stderr
        left = {path.name: path.read_text() for path in tmp_path.iterdir()}
        assert left == ({} if before is None else {file.name: before})


@pytest.mark.parametrize('command', WRITING.values(), ids=WRITING)
def test_a_place_that_cannot_be_written_to_is_named(tmp_path, command):
    place = tmp_path / 'a-file'
    place.write_text('')
    done = shell(command.format(place))
    assert done.returncode == 1
    assert is_one_clear_line(done.stderr)
    assert f'{place}/arm' in done.stderr


def test_devices_pipes_and_links_stay_what_they_are(tmp_path):
    text = shell('urdf two_bone').stdout
    assert shell('urdf two_bone -o /dev/stdout').stdout == text
    assert shell('urdf two_bone -o >(cat)').stdout == text
    assert shell('urdf two_bone -o /dev/null').returncode == 0
    assert stat.S_ISCHR(os.stat('/dev/null').st_mode)
    real, link = tmp_path / 'real', tmp_path / 'link'
    real.write_text('')
    real.chmod(0o640)
    link.symlink_to(real)
    assert shell(f'urdf two_bone -o {link}').returncode == 0
    assert link.is_symlink()
    assert real.read_text() == text
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


@pytest.mark.skipif(os.geteuid() == 0, reason='nothing is forbidden to root')
def test_a_file_that_is_read_only_stays_as_it_is(tmp_path):
    file = tmp_path / 'arm.urdf'
    file.write_text('mine')
    file.chmod(0o444)
    done = shell(f'urdf two_bone -o {file}')
    assert (done.returncode, file.read_text()) == (1, 'mine')
    assert 'Permission denied' in done.stderr


ASCII = {'LC_ALL': 'C', 'PYTHONIOENCODING': 'ascii', 'PYTHONUTF8': '0', 'PYTHONCOERCECLOCALE': '0'}
ARM = '/**:\n  ros__parameters:\n    joints: ["é𝄞"]\n    chain: {"é𝄞": {length: 1.0}}\n'


@pytest.mark.parametrize('locale', [ASCII], ids=['ascii'])
def test_a_terminal_that_knows_ascii_only(tmp_path, locale):
    arm = tmp_path / 'arm.yaml'
    arm.write_text(ARM, encoding='utf-8')
    said = shell(f'solve {arm} 1 0', env=locale)
    assert (said.returncode, said.stderr) == (0, '')
    assert 'reachable: yes' in said.stdout
    told = shell(f'solve {arm} 1 0 --json', env=locale)
    assert list(json.loads(told.stdout)['joints']) == ['é𝄞']
    for urdf in (shell(f'urdf {arm}', env=locale).stdout, shell(f'urdf {arm}').stdout):
        assert ET.fromstring(urdf).find("joint[@name='é𝄞']") is not None
    refused = shell(f'solve {arm} 1 0 --start 1 2', env=locale)
    assert refused.returncode == 2
    assert is_one_clear_line(refused.stderr)


@pytest.mark.parametrize('locale', [{}, ASCII], ids=['utf-8', 'ascii'])
def test_names_that_are_no_text(tmp_path, locale):
    strange = os.fsencode(tmp_path) + b'/\xff\xfe\x1b[2J\n.yaml'
    Path(os.fsdecode(strange)).write_bytes((ROOT / 'config/two_bone.yaml').read_bytes())
    directory = os.fsencode(tmp_path)
    picture = directory + b'/\xff\n.svg'
    for arguments, status in (
        ([b'solve', strange, b'0.3', b'0.1'], 0),
        ([b'solve', strange, b'0.3', b'0.1', b'--json'], 0),
        ([b'urdf', strange, b'-o', directory + b'/\xff.urdf'], 0),
        ([b'plot', strange, b'-o', picture], 0),
        ([b'solve', strange + b'x', b'0.3', b'0.1'], 2),
        ([b'solve', b'two_bone', b'\xff\x1b[2J\n', b'0.1'], 2),
        ([b'plot', b'two_bone', b'-o', b'\xff\n\x1b.gif'], 2),
        ([b'solve', b'two_bone', b'0', b'1', b'--solver', b'\xff\n\x1b'], 2),
        ([b'\xff\n\x1b'], 2),
        ([b'solve', b'two_bone', b'0', b'1', b'\xff\n\x1b'], 2),
        ([b'solve', b'two_bone', b'0', b'1', b'--\xff\n\x1b'], 2),
        ([b'solve', b'two_bone', b'0', b'1', b'--node', b'\xff\n\x1b'], 2),
    ):
        done = subprocess.run(
            [os.fsencode(sys.executable), b'-m', b'ik2d_ros.cli', *arguments],
            capture_output=True,
            env={**os.environ, **locale},
            check=False,
            timeout=PROGRAM_TIMEOUT,
        )
        assert done.returncode == status, (arguments, done)
        assert b'\x1b' not in done.stdout + done.stderr
        assert b'Traceback' not in done.stderr
        assert done.stderr.count(b'\n') == (status != 0)
    ET.parse(os.fsdecode(picture))


def test_arguments_of_a_hundred_kilobytes():
    long = 'x' * 100_000
    for arguments in (
        *(['solve', long, '0', '1'], ['solve', 'two_bone', long, '1'], [long]),
        *(['plot', 'two_bone', '-o', long], ['plot', 'two_bone', '-o', f'{long}.png']),
        ['plot', 'two_bone', '-o', 'x.png', '--dpi', '9' * 5000],
        ['solve', 'two_bone', '0', '1', '--max-iterations', '9' * 5000],
    ):
        done = subprocess.run(
            [sys.executable, '-m', 'ik2d_ros.cli', *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=PROGRAM_TIMEOUT,
        )
        assert done.returncode in (1, 2)
        assert is_one_clear_line(done.stderr)
        assert len(done.stderr) < 2100


# --- Ctrl-C --------------------------------------------------------------------------------------


@pytest.mark.parametrize('command', SAYING.values(), ids=SAYING)
def test_ctrl_c_at_any_moment_is_quiet(tmp_path, command):
    """From the moment when our first import is done; what comes before is Python's own."""
    chance = random.Random(command)
    interrupted = 0
    for number in range(60 if FULL else 6):
        log = tmp_path / 'stderr'
        with log.open('wb') as stderr:
            process = subprocess.Popen(
                # The times of imports on stderr say how far it has got.
                [
                    *(sys.executable, '-X', 'importtime', '-m', 'ik2d_ros.cli'),
                    *command.format(tmp=tmp_path).split(),
                ],
                stdout=subprocess.DEVNULL,
                stderr=stderr,
            )
        while b'ik2d_ros.commands\n' not in log.read_bytes() and process.poll() is None:
            time.sleep(0.001)
        try:
            process.wait(0.0 if number == 0 else chance.uniform(0.0, 1.0))
        except subprocess.TimeoutExpired:
            for _ in range(3):  # as a person who is annoyed does
                process.send_signal(signal.SIGINT)
        status = process.wait(PROGRAM_TIMEOUT)
        said = log.read_text()
        assert 'Traceback' not in said
        assert 'Exception' not in said
        # While Python shuts down nothing of ours is left to answer; for a shell it is the same.
        assert status in (0, 128 + signal.SIGINT, -signal.SIGINT)
        interrupted += status != 0
        assert not [path for path in tmp_path.iterdir() if path.name.startswith('.ik2d')]
    assert interrupted


def test_ctrl_c_while_the_file_is_read(tmp_path):
    """A pipe that is open but silent: the command waits for it, and Ctrl-C ends that."""
    pipe = tmp_path / 'pipe'
    os.mkfifo(pipe)
    process = subprocess.Popen(
        [sys.executable, '-m', 'ik2d_ros.cli', 'solve', str(pipe), '0', '1'],
        stderr=subprocess.PIPE,
        text=True,
    )
    with pipe.open('w'):  # opens when the other end is
        process.send_signal(signal.SIGINT)
        assert process.wait(PROGRAM_TIMEOUT) == 128 + signal.SIGINT
    assert process.stderr is not None
    assert process.stderr.read() == ''


def test_ctrl_c_that_the_shell_has_turned_off_stays_off():
    program = (
        'import os, signal, sys\n'
        'from ik2d_ros import cli\n'
        "sys.argv = ['ik2d', 'solve', 'two_bone', '0.3', '0.1']\n"
        'cli.main()\n'
        'os.kill(os.getpid(), signal.SIGINT)\n'
        "print('alive')\n"
    )
    done = subprocess.run(
        ['bash', '-c', 'trap "" INT; exec "$0" -c "$1"', sys.executable, program],
        capture_output=True,
        text=True,
        check=True,
        timeout=PROGRAM_TIMEOUT,
    )
    assert done.stdout.endswith('alive\n')
