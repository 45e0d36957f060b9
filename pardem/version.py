"""The version of pardem: that of ``pyproject.toml``."""

VERSION = "0.1.0"
