"""The process that expands a xacro file, bounded in time, in memory and in what it may do.

A xacro file is a program. It may include and load the files that it names; the process that runs it
can write none, start no program, and use no network, and it is ended where it takes too long.
Reads one JSON object from standard input and writes one to standard output.
"""

from __future__ import annotations

import errno
import json
import os
import resource
import sys
import types
from typing import Any

from ik2d_ros.robot.packages import find_package, installed_packages

SECONDS = 8  # of processor time
MEMORY = 2 << 30  # bytes of address space

_REFUSED = (
    *('subprocess.Popen', 'os.system', 'os.exec', 'os.posix_spawn', 'os.fork', 'os.spawn'),
    *('os.remove', 'os.rename', 'os.mkdir', 'os.rmdir', 'os.link', 'os.symlink', 'os.truncate'),
    *('os.chmod', 'os.chown', 'os.kill', 'ctypes.dlopen', 'socket.connect', 'socket.bind'),
)


def main() -> None:
    """Expand what standard input asks for; see :mod:`ik2d_ros.robot.xacro_file`."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    asked = json.loads(sys.stdin.buffer.read())
    answer = sys.stdout.buffer
    sys.stdout = sys.stderr  # what xacro prints must not mix with the answer
    given = {}
    try:
        given['xml'] = _expanded(asked)
    except BaseException as error:
        cause = error
        while getattr(cause, 'exc', None) is not None:  # what xacro wraps
            cause = cause.exc  # type: ignore[attr-defined]
        files = getattr(sys.modules.get('xacro'), 'filestack', None) or []
        given['error'] = ' '.join(str(error).split()) or type(error).__name__
        given['where'] = f' (in {files[-1]})' if len(files) > 1 else ''
        given['kind'] = type(cause).__name__
        given['file'] = str(getattr(cause, 'filename', None) or '')
    answer.write(json.dumps(given).encode())


def _expanded(asked: dict[str, Any]) -> str:
    import defusedxml  # noqa: PLC0415
    import xacro  # noqa: PLC0415
    import xacro.substitution_args  # noqa: PLC0415 - before reading is all that is allowed
    import yaml  # noqa: F401, PLC0415 - the same

    defusedxml.defuse_stdlib()  # xacro itself parses the files that are included
    _find_packages(asked)
    sys.path[:] = [entry for entry in sys.path if entry]
    os.chdir(asked['directory'])
    sys.addaudithook(_only_reading)
    xacro.init_stacks(asked['path'])
    document = xacro.parse(asked['text'])
    xacro.process_doc(document, mappings=dict(asked['arguments']), verbosity=0)
    text: str = document.documentElement.toxml()
    if len(text) > asked['largest']:
        raise MemoryError
    return text


def _find_packages(asked: dict[str, Any]) -> None:
    """Have xacro find packages by :func:`find_package`, whether ROS is installed or not."""
    installed = installed_packages()

    def find(name: str) -> str:
        return find_package(name, asked['packages'], asked['path'], installed)

    if installed is None:
        parent: Any = types.ModuleType('ament_index_python')
        parent.packages = types.ModuleType('ament_index_python.packages')
        sys.modules['ament_index_python'] = parent
        sys.modules['ament_index_python.packages'] = parent.packages
    sys.modules['ament_index_python.packages'].__dict__['get_package_share_directory'] = find


def _only_reading(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse what a xacro file has no business with: an audit hook."""
    if event.startswith(_REFUSED):
        raise PermissionError(errno.EPERM, 'a xacro file may not do this', event)
    if event == 'open' and isinstance(arguments[0], str) and isinstance(arguments[1], str):
        path, mode = arguments[:2]
        if set(mode) & set('wax+'):
            raise PermissionError(errno.EPERM, 'a xacro file may not write', path)
        if os.path.exists(path) and not os.path.isfile(path):
            raise PermissionError(errno.EPERM, 'is no file', path)


if __name__ == '__main__':
    main()
