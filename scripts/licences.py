"""Lists the packages of the virtual environment that runs it, with versions and licences.

    make licences

The licence is what each package says of itself: its SPDX expression, else its classifiers, else the
first line of its free text, else that of its package.xml (the wheels of ROS state it only there).
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from importlib.metadata import Distribution, distributions
from pathlib import Path

UNKNOWN = 'not stated'
LONGEST = 60  # some packages give the whole text


def licence(distribution: Distribution) -> str:
    metadata = distribution.metadata
    expression = metadata['License-Expression']
    if expression:
        return str(expression)
    classifiers = [
        classifier.rpartition(' :: ')[2]
        for classifier in metadata.get_all('Classifier') or ()
        if classifier.startswith('License :: ') and classifier != 'License :: OSI Approved'
    ]
    lines = str(metadata['License'] or '').strip().splitlines()
    if classifiers or lines:
        return ', '.join(classifiers) or lines[0][:LONGEST]
    manifest = Path(sys.prefix, 'share', ros_name(distribution), 'package.xml')
    if manifest.is_file():
        return ', '.join(element.text or '' for element in ET.parse(manifest).iter('license'))
    file = metadata['License-File']
    return f'{UNKNOWN}; see its {file}' if file else UNKNOWN


def ros_name(distribution: Distribution) -> str:
    """Return what a package would be called in ROS."""
    return str(distribution.metadata['Name']).removeprefix('ros-').replace('-', '_')


def main() -> None:
    found = {
        (distribution.metadata['Name'].lower(), distribution.version, licence(distribution))
        for distribution in distributions()
    }
    rows = [('package', 'version', 'licence'), *sorted(found)]
    widths = [max(len(row[column]) for row in rows) for column in range(2)]
    for name, version, terms in rows:
        print(f'{name:{widths[0]}}  {version:{widths[1]}}  {terms}')


if __name__ == '__main__':
    main()
