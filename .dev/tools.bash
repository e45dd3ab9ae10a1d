# Finds the tools that build and tests need, and installs what is missing. Part of dev: it has say, die and step.
# shellcheck shell=bash

readonly emscripten_needed=3.1.69
readonly node_needed=20.19
readonly clang_format_needed=19 # .clang-format is made for it; other versions lay some lines out differently

have() { command -v "$1" > /dev/null 2>&1; }

# at_least NEEDED VERSION
at_least() { [[ -n $2 && $(printf '%s\n' "$1" "$2" | sort -V | head -n 1) == "$1" ]]; }

emscripten_ready() {
  if ! have emcc && [[ -x ${EMSDK:-}/upstream/emscripten/emcc ]]; then
    export PATH=$EMSDK/upstream/emscripten:$PATH
  fi
  have emcc && at_least $emscripten_needed "$(emcc -dumpversion 2> /dev/null | cut -d- -f1)"
}

node_ready() { have node && have npm && at_least $node_needed "$(node -p process.versions.node)"; }

# The next three print what they find.

find_clang_format() {
  local candidate
  for candidate in clang-format-$clang_format_needed clang-format; do
    if have "$candidate" && [[ $("$candidate" --version) == *"version $clang_format_needed."* ]]; then
      echo "$candidate"
      return
    fi
  done
  return 1
}

# find_python MODULE...: a Python that has them all. Debian's PyTorch is seen by Debian's own Python only, which need not
# be the first on PATH.
find_python() {
  local candidate
  for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import sys, importlib.util as u; sys.exit(not all(map(u.find_spec, sys.argv[1:])))' "$@" \
      2> /dev/null; then
      echo "$candidate"
      return
    fi
  done
  return 1
}
find_torch_python() { find_python torch numpy; }

find_chromium() {
  local candidate
  for candidate in ${CHROMIUM:+"$CHROMIUM"} chromium chromium-browser google-chrome; do
    type -P "$candidate" && return
  done
  return 1
}

find_firefox() {
  local candidate
  for candidate in ${FIREFOX:+"$FIREFOX"} firefox firefox-esr; do
    type -P "$candidate" && return
  done
  return 1
}

# Whether this is a system whose packages we may install.
can_install() { have apt-get && [[ $EUID == 0 ]]; }

# offers PACKAGE VERSION: whether the system's packages have it, at least in this version.
offers() {
  can_install || return
  # Fresh container images come without the lists of packages.
  [[ -n $(compgen -G '/var/lib/apt/lists/*Packages*') ]] || step "fetching the lists of packages" apt-get -qq update || return
  at_least "$2" "$(apt-cache policy "$1" | sed -n 's/^ *Candidate: *\([0-9]*:\)\{0,1\}\([0-9.]*\).*/\2/p')"
}

install_packages() {
  local apt=(apt-get -qq -y -o DPkg::Lock::Timeout=600 --no-install-recommends install)
  export DEBIAN_FRONTEND=noninteractive
  dpkg --configure -a # heals an installation that was cut in the middle
  "${apt[@]}" "$@" || { apt-get -qq update && "${apt[@]}" "$@"; }
}

# Collects what is missing, as Debian's package and by name; then installs it or says what to do.
missing_packages=()
missing_names=()

missing() {
  missing_packages+=("$1")
  missing_names+=("$2")
}

install_missing() {
  ((${#missing_packages[@]})) || return 0
  local names packages=${missing_packages[*]}
  names=$(printf '%s, ' "${missing_names[@]}")
  if can_install; then
    step "installing $packages" install_packages "${missing_packages[@]}" || die "these packages could not be installed: $packages"
  elif have apt-get; then
    die "missing: ${names%, }. Install with: sudo apt-get install $packages"
  else
    die "missing: ${names%, }. Install them by the means of your system, then run this again."
  fi
  hash -r
  missing_packages=()
  missing_names=()
}

# A private copy of newer tools than the system has. Only .dev/private-toolchain knows how it works: it makes what is
# missing and prints the environment that leads there.
private_possible() { .dev/private-toolchain --possible; }

use_private() {
  local environment
  environment=$(.dev/private-toolchain "$1") || exit 1
  eval "$environment"
}

# What serve and build need.
find_page_tools() {
  if ! emscripten_ready; then
    if offers emscripten $emscripten_needed; then
      missing emscripten Emscripten
      missing libeigen3-dev Eigen
      missing libxsimd-dev xsimd
    elif private_possible; then
      use_private compiler
    else
      die "Emscripten >= $emscripten_needed (emcc) is missing: install the Emscripten SDK, put emcc on PATH, and run this again."
    fi
  fi
  if ! node_ready; then
    if offers nodejs $node_needed; then
      missing nodejs Node
      missing npm npm
    elif private_possible; then
      use_private node
    else
      die "Node >= $node_needed with npm is missing: install it and run this again."
    fi
  fi
  have cmake || missing cmake CMake
  have ninja || missing ninja-build Ninja
  have python3 || missing python3 Python
  install_missing
}

find_format_tool() {
  find_clang_format > /dev/null || ! offers clang-format-$clang_format_needed 1 ||
    missing clang-format-$clang_format_needed clang-format
  install_missing
}

# What the tests need on top. Of what only some parts need, whatever cannot be had is left out: those parts say so.
find_test_tools() {
  have c++ || missing g++ 'a C++ compiler'
  ! private_possible || use_private catch2
  if can_install; then
    find_chromium > /dev/null || missing chromium Chromium
    [[ -n $(fc-list :lang=zh 2> /dev/null) ]] || missing fonts-noto-cjk 'a Chinese font'
    if [[ $1 == full ]]; then
      find_torch_python > /dev/null || { missing python3-torch PyTorch; missing python3-numpy NumPy; }
      find_format_tool
    fi
  fi
  install_missing
}

# Browsers to measure in. What cannot be had is left out: the benchmark says so.
find_bench_tools() {
  if can_install; then
    find_chromium > /dev/null || missing chromium Chromium
    find_firefox > /dev/null || missing firefox-esr Firefox
    have WebKitWebDriver || missing webkit2gtk-driver WebKitGTK
    have xvfb-run || { missing xvfb Xvfb; missing xauth xauth; }
  fi
  install_missing
}
