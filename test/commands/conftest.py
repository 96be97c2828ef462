"""The command line, in this process."""

import pytest

from ik2d_ros import cli


@pytest.fixture
def run(capsys):
    """Run ``ik2d``: gives exit status, stdout, stderr."""

    def run(*arguments):
        try:
            status = cli.main([str(argument) for argument in arguments])
        except SystemExit as end:
            status = end.code
        return status, *capsys.readouterr()

    return run
