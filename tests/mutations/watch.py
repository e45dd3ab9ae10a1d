"""Who should notice a fault: the native tests, the unit tests of the page (with the wasm module), the walk in a browser."""
from __future__ import annotations

import html
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from subprocess import CompletedProcess

from faults import Fault
from tree import Broken, Copy

# The browser has relaxed SIMD, so this is the build that its page runs.
WASM = "relaxed"


@dataclass(frozen=True)
class Verdict:
    text: str
    test: str = ""  # that failed first
    tail: str = ""

    @property
    def caught(self) -> bool:
        return self.test != ""


NOT_ASKED = Verdict("–")


def verdict(done: CompletedProcess[str], first_failure: Callable[[str], str]) -> Verdict:
    if done.returncode == 0:
        return Verdict("green")
    test = first_failure(done.stdout)
    if not test:  # it broke before or beside a test: nothing was noticed by anybody
        raise Broken(f"{' '.join(done.args)}\nended with {done.returncode}, but no test failed:\n{done.stdout[-4000:]}")
    return Verdict("caught", test, done.stdout[-4000:])


def catch2_failure(xml: str) -> str:
    """The first test case of an XML report that failed, or in which the report ends."""
    for case in xml.split('<TestCase name="')[1:]:
        if 'success="false"' in case or "</TestCase>" not in case:
            return html.unescape(case.split('"')[0])
    return ""


def vitest_failure(output: str) -> str:
    found = re.search(r"^\s*FAIL\s+(.* > .*\S)", output, re.MULTILINE)
    return found[1] if found else ""


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
        done = self.copy.run(
            self.copy.tree / "build" / "dev" / "mha_tests", "--abort", "--order", "decl", "--rng-seed", "1",
            "--reporter", "xml",
        )
        return verdict(done, catch2_failure)


class Unit:
    """The unit tests that run the wasm module."""

    name = "unit"

    def __init__(self, copy: Copy):
        self.copy = copy

    def must_see(self, fault: Fault) -> bool:
        return False  # whatever it sees the sooner is welcome

    def see(self, fault: Fault | None) -> Verdict:
        build_modules(self.copy)
        done = self.copy.run("npx", "vitest", "run", "--project", "unit", "--bail", "1", cwd="web", NO_COLOR="1")
        return verdict(done, vitest_failure)


class Page:
    """The walk through the built page and its explanations, in a browser, against the oracle."""

    name = "page"

    def __init__(self, copy: Copy):
        self.copy = copy

    def must_see(self, fault: Fault) -> bool:
        return fault.page

    def see(self, fault: Fault | None) -> Verdict:
        if fault is not None and not fault.page:
            return NOT_ASKED
        build_modules(self.copy)
        self.copy.build("npx", "vite", "build", "--logLevel", "error", cwd="web")
        done = self.copy.run(
            "npx", "vitest", "run", "--project", "page", "--bail", "1", "tests/page/walker.test.ts",
            "tests/page/explanations.test.ts", cwd="web",
            NO_COLOR="1", QUICK="1", TEST_SEED="1", MHA_ORACLE=str(self.copy.home / "mha_oracle"), DIST=str(self.copy.tree / "dist"),
        )
        return verdict(done, vitest_failure)


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
