#!/bin/bash
# Checks the form of Swift, Python, C and C++, the list of messages and the language of all texts: `make format-check`
# and `make format` call this script.
#
# - `Tests/Style/run.sh` prints the differences and the findings of the linters.
# - `Tests/Style/run.sh write` formats the files and applies the corrections that the linters offer.
set -euo pipefail
cd "$(dirname "$0")/../.."

# Lists the files with git, because setuptools makes a source distribution in bindings/python while another part runs:
# .gitignore has its folder, and a search of the tree would find files that exist only for a moment.
mapfile -t c_files < <(git ls-files --cached --others --exclude-standard -- '*.c' '*.h' '*.cpp' '*.hpp' |
  while read -r file; do if [ -f "$file" ]; then printf '%s\n' "$file"; fi; done)
swift_paths=(Package.swift Sources Tests bindings/c)
python_paths=(--config bindings/python/pyproject.toml .ci/*.py bindings containers examples Tests)
clang_format=(.venv/bin/clang-format --style=file:Tests/Style/clang-format.yaml)

if [ "${1:-}" = write ]; then
  swift format --in-place --recursive "${swift_paths[@]}"
  .venv/bin/ruff format --quiet "${python_paths[@]}"
  "${clang_format[@]}" -i "${c_files[@]}"
  .venv/bin/python Tests/Style/language.py --shrink
  # `ruff check --fix` comes after the other tools, because it fails if it cannot repair a finding.
  .venv/bin/ruff check --quiet --fix "${python_paths[@]}"
  .venv/bin/ruff format --quiet "${python_paths[@]}"
  exit
fi
status=0
swift format lint --strict --recursive "${swift_paths[@]}" || status=1
# Only the detectors may use these parts of a tracker; other code must use the functions of Tracker+Questions.
if grep -rnE --include='*.swift' '\btracker\??\.(timeline|known|lookout|deadlines)\b' Sources; then
  echo "format: that part of a tracker is for its detectors; see Tracker+Questions.swift" >&2
  status=1
fi
# Refuses unstable functions of the standard library; code must use the kernel's `Lock` or, in the actors, `Mutex`.
if grep -rnE --include='*.swift' '\b_unsafe(Try)?(Lock|Unlock)\b' Sources; then
  echo "format: that is no public function of the standard library; use Lock" >&2
  status=1
fi
if git grep -nE '^(<{7}|>{7}) '; then
  echo "format: these lines are the markers of an unresolved merge conflict" >&2
  status=1
fi
# Finds conflict markers that a merge left behind, because a page with such markers is built without an error.
if grep -rnE --include='*.md' --include='*.py' --include='*.swift' --include='*.[ch]' --include='*.js' --include='*.sh' \
  '^(<{7}|>{7}) ' ./*.md .ci Sources Tests bindings examples include containers; then
  echo "format: the lines above are an unresolved conflict" >&2
  status=1
fi
# Checks that the folders of the engine are layers.
.venv/bin/python Tests/Style/layers.py || status=1
.venv/bin/python Tests/Style/features.py || status=1
# Checks that the texts with the header's version agree with the header.
.ci/release.py mentions || status=1
# Checks the list of all messages, and the idioms that new texts must not have.
.venv/bin/python Tests/Style/messages.py || status=1
.venv/bin/python Tests/Style/language.py || status=1
.venv/bin/ruff check --quiet --output-format concise "${python_paths[@]}" || status=1
.venv/bin/ruff format --quiet --diff "${python_paths[@]}" || status=1
"${clang_format[@]}" --dry-run --Werror "${c_files[@]}" || status=1
[ $status = 0 ] || echo "format: make format repairs what is only a matter of form" >&2
exit $status
