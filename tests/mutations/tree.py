"""The copy of the tree in which faults are made. Files that did not change are not touched, so builds stay incremental."""
from __future__ import annotations

import os
import subprocess
from pathlib import Path

from faults import Fault

# What no build reads, and what builds make.
LEFT_OUT = (".git", ".ci", "build", "dist", "node_modules", "web/src/core/generated", "__pycache__")

# What takes long to make, and what faults are not about: trained models were trained without any.
SHARED = ("web/node_modules", "web/src/core/generated/models")


class Broken(Exception):
    """Something other than a test failed: no verdict is possible."""


class Copy:
    def __init__(self, real: Path):
        self.real = real
        self.home = real / "build" / "mutations"
        self.tree = self.home / "tree"
        self.tree.mkdir(parents=True, exist_ok=True)
        # Taken once: whoever edits the tree while this runs is not to be blamed on a fault.
        self.files = {path: ((real / path).read_bytes(), (real / path).stat().st_mode) for path in _walk(real)}

    def restore(self) -> None:
        """Makes every file of the copy what it was in the real tree."""
        for path, (content, mode) in self.files.items():
            self._write(path, content, mode)
        for path in _walk(self.tree):
            if path not in self.files:
                (self.tree / path).unlink()
        for shared in SHARED:
            link = self.tree / shared
            link.parent.mkdir(parents=True, exist_ok=True)
            if not link.is_symlink():
                link.symlink_to(self.real / shared)

    def put(self, fault: Fault) -> None:
        """Makes the fault, in the restored copy."""
        for file, text in self.patched(fault).items():
            self._write(file, text.encode("utf-8"), self.files[file][1])

    def patched(self, fault: Fault) -> dict[str, str]:
        """The files that the fault changes, as it leaves them."""
        texts: dict[str, str] = {}
        for edit in fault.edits:
            text = texts.get(edit.file) or self._text(edit.file)
            found = text.count(edit.old)
            if found != 1:
                raise Broken(f"“{fault.name}” no longer fits: its text stands {found} times in {edit.file}:\n{edit.old}")
            texts[edit.file] = text.replace(edit.old, edit.new)
        return texts

    def _text(self, file: str) -> str:
        if file not in self.files:
            raise Broken(f"there is no {file} any more")
        return self.files[file][0].decode("utf-8")

    def run(self, *command: str | Path, cwd: str = ".", **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(part) for part in command], cwd=self.tree / cwd, env={**os.environ, **environment},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
        )

    def build(self, *command: str | Path, cwd: str = ".") -> None:
        done = self.run(*command, cwd=cwd)
        if done.returncode != 0:
            raise Broken(f"{' '.join(map(str, command))}\n{done.stdout[-4000:]}")

    def _write(self, path: str, content: bytes, mode: int) -> None:
        file = self.tree / path
        if file.exists() and file.read_bytes() == content:
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        file.chmod(mode & 0o777)


def _walk(root: Path) -> list[str]:
    found = []
    for folder, folders, files in os.walk(root):
        here = Path(folder).relative_to(root)
        folders[:] = [
            name for name in folders
            if name not in LEFT_OUT and (here / name).as_posix() not in LEFT_OUT and not (Path(folder) / name).is_symlink()
        ]
        found += [(here / name).as_posix() for name in files if not (Path(folder) / name).is_symlink()]
    return found
