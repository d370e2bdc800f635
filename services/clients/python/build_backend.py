"""Builds the package (PEP 517), with the README and the license of the checkout.

hatchling builds it in a temporary folder, so nothing changes in the checkout. The sdist has all files, and
builds the same wheel without a checkout.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from importlib.util import cache_from_source
from pathlib import Path

import hatchling.build

HERE = Path(__file__).resolve().parent
OWN = ["pyproject.toml", "build_backend.py"]
# What an sdist has in its folder, and a checkout elsewhere.
ELSEWHERE = {"README.md": "docs/clients/python.md", "LICENSE": "LICENSE"}


def build_wheel(
    wheel_directory: str,
    config_settings: dict[str, object] | None = None,
    metadata_directory: str | None = None,
) -> str:
    with _whole_package():
        return hatchling.build.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory: str, config_settings: dict[str, object] | None = None) -> str:
    with _whole_package():
        return hatchling.build.build_sdist(sdist_directory, config_settings)


@contextlib.contextmanager
def _whole_package() -> Iterator[None]:
    """A temporary folder with all files of the package, as the working directory."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(HERE / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
        for own in OWN:
            shutil.copyfile(HERE / own, folder / own)
        for file, in_checkout in ELSEWHERE.items():
            shutil.copyfile(_found(file, in_checkout), folder / file)
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def _found(file: str, in_checkout: str) -> Path:
    for path in [HERE / file, HERE / "../../.." / in_checkout]:
        if path.exists():
            return path
    raise FileNotFoundError(
        f"{file} is missing. Install from a whole checkout of Inlet, with pip 21.3 or later."
    )


# Python has kept the bytecode of this file in the checkout.
_BYTECODE = Path(cache_from_source(__file__))
with contextlib.suppress(OSError):
    _BYTECODE.unlink()
    _BYTECODE.parent.rmdir()
