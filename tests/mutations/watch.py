"""Who should notice a fault: the native tests, the unit tests of the page (with the wasm module), the walk in a browser."""
from __future__ import annotations

import shutil
from dataclasses import dataclass

from faults import Fault
from tree import Copy

# The browser has relaxed SIMD, so this is the build that its page runs.
WASM = "relaxed"


@dataclass(frozen=True)
class Verdict:
    caught: bool
    text: str
    tail: str = ""


NOT_ASKED = Verdict(False, "–")


def verdict(red: bool, output: str) -> Verdict:
    return Verdict(red, "caught" if red else "green", output[-4000:])


class Native:
    """The Catch2 suite, up to its first failure."""

    name = "native"

    def __init__(self, copy: Copy):
        self.copy = copy

    def prepare(self) -> None:
        """Configures, and builds the oracle: the one that judges faulty pages has no fault itself."""
        # As the preset, but quicker to build; nobody will debug this.
        self.copy.build("cmake", "--preset", "dev", "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1")
        self.make("mha_oracle")
        shutil.copy2(self.copy.tree / "build" / "dev" / "mha_oracle", self.copy.home / "mha_oracle")

    def make(self, target: str) -> None:
        self.copy.build("cmake", "--build", "--preset", "dev", "--target", target)

    def must_see(self, fault: Fault) -> bool:
        return fault.native

    def see(self, fault: Fault | None) -> Verdict:
        if fault is not None and not fault.in_core:
            return NOT_ASKED
        self.make("mha_tests")
        done = self.copy.run(self.copy.tree / "build" / "dev" / "mha_tests", "--abort", "--order", "decl", "--rng-seed", "1")
        return verdict(done.returncode != 0, done.stdout)


class Unit:
    """The unit tests that run the wasm module."""

    name = "unit"

    def __init__(self, copy: Copy):
        self.copy = copy

    def must_see(self, fault: Fault) -> bool:
        return not fault.native and not fault.page  # else whatever it sees the sooner is welcome

    def see(self, fault: Fault | None) -> Verdict:
        build_modules(self.copy)
        done = self.copy.run("npx", "vitest", "run", "--project", "unit", "--bail", "1", cwd="web")
        return verdict(done.returncode != 0, done.stdout)


class Page:
    """The walk through the built page and its explanations, in a browser, against the oracle."""

    name = "page"

    def __init__(self, copy: Copy):
        self.copy = copy

    def must_see(self, fault: Fault) -> bool:
        return fault.page

    def see(self, fault: Fault | None) -> Verdict:
        build_modules(self.copy)
        self.copy.build("npx", "vite", "build", "--logLevel", "error", cwd="web")
        done = self.copy.run(
            "npx", "vitest", "run", "--project", "page", "--bail", "1", "tests/page/walker.test.ts",
            "tests/page/explanations.test.ts", cwd="web",
            QUICK="1", TEST_SEED="1", MHA_ORACLE=str(self.copy.home / "mha_oracle"), DIST=str(self.copy.tree / "dist"),
        )
        return verdict(done.returncode != 0, done.stdout)


def build_modules(copy: Copy) -> None:
    """Both builds the first time, for the page names both; then the one that runs."""
    for build in ("simd", "relaxed"):
        folder = copy.tree / "build" / f"wasm-{build}"
        first = not (folder / "build.ninja").exists()
        if first:
            copy.build("emcmake", "cmake", "--preset", f"wasm-{build}", "-DBUILD_TESTING=OFF")
        if first or build == WASM:
            copy.build("cmake", "--build", "--preset", f"wasm-{build}", "--target", "mha_page")
            copy.build("cmake", "--install", folder)
