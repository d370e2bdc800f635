"""Builds the package (PEP 517) with what a checkout has elsewhere or not at all: README, license, sync client.

The sync client is the async one without `async` and `await`. hatchling builds in a temporary folder, so
nothing changes in the checkout. The sdist has all files, and builds the same wheel without a checkout.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import tempfile
import tokenize
from collections.abc import Iterator
from importlib.util import cache_from_source
from pathlib import Path

import hatchling.build

HERE = Path(__file__).resolve().parent
OWN = ["pyproject.toml", "build_backend.py"]
# What an sdist has in its folder, and a checkout elsewhere.
ELSEWHERE = {"README.md": "docs/clients/python.md", "LICENSE": "LICENSE"}

SYNC_FILES = {
    "async_client.py": "client.py",
    "_async_operations.py": "_operations.py",
    "_async_transport.py": "_transport.py",
}
DROPPED = {"async", "await"}
# In addition, names lose `Async`, `async_` or `_async`: AsyncInlet is Inlet.
SYNC_NAMES = {
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "__aiter__": "__iter__",
    "aclose": "close",
    "aiter_bytes": "iter_bytes",
    "aread": "read",
    "asynccontextmanager": "contextmanager",
    "asyncio": "time",  # its sleep
}
SYNC_WORDS = {
    "asyncio.Event": "threading.Event",
    "for asyncio, ": "",
    "the async client": "the sync client",
    "The async client": "The sync client",
}


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
        package = folder / "src" / "inlet_client"
        for file, sync_file in SYNC_FILES.items():
            text = (package / file).read_text("utf-8")
            head = f"# Made from {file} when the package is built.\n"
            (package / sync_file).write_text(head + sync_source(text), "utf-8")
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


def sync_source(text: str) -> str:
    """Python without `async` and `await`, with the names and words of the sync client."""
    lines = text.splitlines(keepends=True)
    for token in reversed(list(tokenize.generate_tokens(io.StringIO(text).readline))):
        (first, start), (last, end) = token.start, token.end
        if token.type == tokenize.NAME and token.string in DROPPED:
            line = lines[first - 1]
            lines[first - 1] = line[:start] + line[end:].lstrip()
        elif token.type == tokenize.NAME:
            line = lines[first - 1]
            lines[first - 1] = line[:start] + _sync_name(token.string) + line[end:]
        elif token.type in (tokenize.STRING, tokenize.COMMENT):
            for at in range(first - 1, last):
                for word, sync_word in SYNC_WORDS.items():
                    lines[at] = lines[at].replace(word, sync_word)
    return "".join(lines)


def _sync_name(name: str) -> str:
    return SYNC_NAMES.get(name) or re.sub("^_async_", "_", re.sub("^(Async|async_)", "", name))


# Python has kept the bytecode of this file in the checkout.
_BYTECODE = Path(cache_from_source(__file__))
with contextlib.suppress(OSError):
    _BYTECODE.unlink()
    _BYTECODE.parent.rmdir()
