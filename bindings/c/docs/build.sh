#!/bin/sh
# Builds the input of the site's reference pages: Doxygen's XML for the C header and its C++ wrapper, and DocC's pages
# for the Swift modules. Treats warnings as errors.
#
#   bindings/c/docs/build.sh [c|swift]...
#
# Writes .build/docs-build/c/xml and .build/docs/swift. Needs no network. Set DOCS_BASE=some/path if the site is served
# from a path below the root.
set -eu

cd "$(dirname "$0")/../../.."
docs=$PWD/.build/docs
mkdir -p "$docs"
root=$PWD
. bindings/c/names.sh

# silent: prints a tool's warnings and fails if there are any. Not every parameter and C++ member needs a description: a
# parameter needs one only if its name and unit are not enough, and the members of the C++ wrapper are documented in the
# C header.
silent() {
  if grep -E -A 1 '(^|: )(warning|error): ' "$1" | grep -v -e "^warning: Parameter .* is missing documentation" \
    -e 'include/fencepost.hpp:.* is not documented' \
    -e '^ *-->' -e '^--$' >&2; then
    echo "docs: $2 complains" >&2
    exit 1
  fi
}

build_c() {
  xml=.build/docs-build/c/xml
  rm -rf "$xml"
  mkdir -p .build/docs-build/c
  { cat bindings/c/docs/Doxyfile; printf 'PROJECT_NUMBER = %s\nOUTPUT_DIRECTORY = .build/docs-build/c\n' "$version"; } |
    doxygen - > "$docs/c.log" 2>&1
  silent "$docs/c.log" Doxygen
  for part in fencepost_8h fencepost_8hpp classfencepost_1_1monitor; do
    [ -f "$xml/$part.xml" ] || { echo "docs: $part.xml is missing" >&2; exit 1; }
  done
  echo "docs: C, $(find "$xml" -name '*fencepost*.xml' | wc -l) files: $xml"
}

# The symbol graphs come from the compiler, and the articles come from the module's .docc folder.
build_swift() {
  # The compiler writes a symbol graph only when it compiles the module; an up-to-date module keeps its earlier graph.
  graphs=$root/.build/docs-build/swift/graphs
  wanted=$root/.build/docs-build/graphs
  articles=$root/.build/docs-build/Fencepost.docc
  rm -rf "$wanted" "$docs/swift" "$articles"
  mkdir -p "$graphs" "$wanted"
  # The articles link to each other with relative links, which git forges need; DocC needs its own link syntax.
  cp -R Sources/Fencepost/Fencepost.docc "$articles"
  find "$articles" -name '*.md' -exec sed -i -E 's#\]\(([A-Za-z0-9./-]*/)?([A-Za-z0-9-]+)\.md(\#[a-z-]+)?\)#](doc:\2)#g' {} +
  # Each DocC page gets a link back to the site.
  printf '<p style="margin: 0; padding: 0.6em 1.5em; font: 15px system-ui, sans-serif"><a href="/%sreference/swift.html">%s</a></p>\n' \
    "${DOCS_BASE:+$DOCS_BASE/}" 'Fencepost: guides, search, Python and C' > "$articles/header.html"
  swift build --quiet --target FencepostFoundation --scratch-path .build/docs-build/swift \
    -Xswiftc -emit-symbol-graph -Xswiftc -emit-symbol-graph-dir -Xswiftc "$graphs" > "$docs/swift-build.log" 2>&1 || {
    cat "$docs/swift-build.log" >&2
    exit 1
  }
  # Uses only the symbol graphs of the module that has the articles, of the core (which this module re-exports), and of
  # the extensions that both modules add to the standard library. The core's symbols are listed as symbols of the
  # module, so one page shows every symbol that a program can use.
  for graph in "$graphs"/Fencepost.symbols.json "$graphs"/Fencepost@*.symbols.json \
    "$graphs"/FencepostCore.symbols.json "$graphs"/FencepostCore@*.symbols.json; do
    [ -f "$graph" ] || continue
    sed 's/"module":{"name":"FencepostCore"/"module":{"name":"Fencepost"/' "$graph" > "$wanted/$(basename "$graph")"
  done
  docc convert "$articles" --experimental-enable-custom-templates --additional-symbol-graph-dir "$wanted" \
    --fallback-display-name Fencepost --fallback-bundle-identifier fencepost --hosting-base-path "${DOCS_BASE:+$DOCS_BASE/}swift" --output-path "$docs/swift" \
    --transform-for-static-hosting > "$docs/swift.log" 2>&1 || {
    cat "$docs/swift.log" >&2
    exit 1
  }
  silent "$docs/swift.log" DocC
  [ -f "$docs/swift/documentation/fencepost/index.html" ] || { echo "docs: the module's page is missing" >&2; exit 1; }
  echo "docs: Swift, $(find "$docs/swift" -name index.html | wc -l) pages: .build/docs/swift/documentation/fencepost"
}

if [ $# = 0 ]; then set -- c swift; fi
for part in "$@"; do
  case $part in
    c) build_c ;;
    swift) build_swift ;;
    *)
      echo "usage: bindings/c/docs/build.sh [c|swift]..." >&2
      exit 2
      ;;
  esac
done
