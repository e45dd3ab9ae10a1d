"""The copy of the tree in which faults are made. Files that did not change are not touched, so builds stay incremental."""
from __future__ import annotations

import os
import subprocess
from pathlib import Path

from faults import Fault

# What no build reads, and what builds make.
LEFT_OUT = (".git", ".ci", "build", "dist", "node_modules", "web/src/core/generated", "__pycache__")


class Broken(Exception):
    """Something other than a test failed: no verdict is possible."""


class Copy:
    def __init__(self, real: Path):
        self.real = real
        self.home = real / "build" / "mutations"
        self.tree = self.home / "tree"
        self.tree.mkdir(parents=True, exist_ok=True)

    def restore(self) -> None:
        """Makes every file of the copy what it is in the real tree."""
        wanted = set(self._files())
        for path in wanted:
            self._write(path, (self.real / path).read_bytes(), (self.real / path).stat().st_mode)
        for path in self._old_files() - wanted:
            (self.tree / path).unlink()
        modules = self.tree / "web" / "node_modules"
        if not modules.exists():
            modules.symlink_to(self.real / "web" / "node_modules")

    def put(self, fault: Fault) -> None:
        texts: dict[str, str] = {}
        for edit in fault.edits:
            text = texts.get(edit.file) or (self.real / edit.file).read_text(encoding="utf-8")
            found = text.count(edit.old)
            if found != 1:
                raise Broken(f"“{fault.name}” no longer fits: its text stands {found} times in {edit.file}:\n{edit.old}")
            texts[edit.file] = text.replace(edit.old, edit.new)
        for file, text in texts.items():
            self._write(file, text.encode("utf-8"), (self.real / file).stat().st_mode)

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

    def _files(self) -> list[str]:
        return _walk(self.real)

    def _old_files(self) -> set[str]:
        return set(_walk(self.tree))


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
