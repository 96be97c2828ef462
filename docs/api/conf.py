"""The API's pages, made of the docstrings: `make docs`, or rosdoc2."""

from importlib.metadata import version as version_of

project = 'ik2d_ros'
author = 'the ik2d_ros developers'
version = release = version_of('ik2d_ros')
extensions = ['sphinx.ext.autodoc', 'sphinx.ext.napoleon']
html_theme = 'alabaster'
autodoc_member_order = 'bysource'
autodoc_typehints = 'signature'
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
