import CCases
import CFencepost
import Foundation
import Testing

/// The header, the list of exports, the symbol test and the built library name the same functions.
@Suite("Header agreement")
struct HeaderAgreementTests {
  /// Returns the names of the functions that the header declares with `FENCEPOST_API`; comments are ignored.
  static func declared() throws -> [String] {
    let header = try Project.text("include/fencepost.h")
      .replacing(#/(?s)/\*.*?\*//#, with: " ")
      .replacing(#/(?m)^#.*$/#, with: " ")
    return header.matches(of: #/FENCEPOST_API\s[^;()]*?\b(fencepost_[a-z0-9_]+)\s*\(/#).map { String($0.1) }
  }

  /// The names of the functions that the version script of the C library exports.
  static func listed() throws -> [String] {
    let map = try Project.text("bindings/c/fencepost.map").replacing(#/(?s)/\*.*?\*//#, with: " ")
    return map.matches(of: #/\b(fencepost_[a-z0-9_]+)\s*;/#).map { String($0.1) }
  }

  @Test func everyDeclarationIsFound() throws {
    let declared = try Self.declared()
    #expect(declared.count >= 38)
    #expect(Set(declared).count == declared.count)
    // Every function name in the header's code that is followed by "(" must be declared with the macro FENCEPOST_API
    // or defined in the header.
    let header = try Project.text("include/fencepost.h").replacing(#/(?s)/\*.*?\*//#, with: " ")
    let called = header.matches(of: #/\b(fencepost_[a-z0-9_]+)\s*\(/#).map { String($0.1) }
    let defined = header.matches(of: #/\bstatic\s+inline\s[^;(){}]*?\b(fencepost_[a-z0-9_]+)\s*\(/#)
      .map { String($0.1) }
    #expect(defined.contains("fencepost_circle") && Set(defined).isDisjoint(with: declared))
    #expect(Set(called) == Set(declared).union(defined))
  }

  @Test func mapAndHeaderAreEqual() throws {
    let listed = try Self.listed()
    #expect(listed.sorted() == (try Self.declared()).sorted())
    #expect(try Project.text("bindings/c/fencepost.map").contains(#/local:\s*\*;/#))
  }

  @Test func theAddressOfEachIsTaken() throws {
    let taken = (0..<ccase_symbol_count()).compactMap { ccase_symbol_name($0).map { String(cString: $0) } }
    #expect(taken.sorted() == (try Self.declared()).sorted())
    #expect((0..<ccase_symbol_count()).allSatisfy { ccase_symbol_exists($0) == 1 })
  }

  @Test(.enabled(if: Project.testsLibrary, "bindings/c/build.sh has not been run"))
  func theLibraryExportsThemAndNothingElse() throws {
    let outcome = try Project.run(["nm", "-D", "--defined-only", Project.library.path])
    try #require(outcome.status == 0, "\(outcome.output)")
    var exported: [String] = []
    for line in outcome.output.split(separator: "\n") {
      let fields = line.split(separator: " ")
      let name = fields[fields.count - 1].split(separator: "@")[0]
      // The version node is listed with the type "A".
      if fields[fields.count - 2] != "A" { exported.append(String(name)) }
    }
    #expect(exported.sorted() == (try Self.declared()).sorted())
  }

  @Test(.enabled(if: Project.testsLibrary, "bindings/c/build.sh has not been run"))
  func theLibraryNeedsOnlyTheSystem() throws {
    let outcome = try Project.run(["readelf", "--dynamic", "--wide", Project.library.path])
    try #require(outcome.status == 0, "\(outcome.output)")
    let needed = Set(outcome.output.matches(of: #/\(NEEDED\).*\[(.+)\]/#).map { String($0.1) })
    var allowed: Set = ["libc.so.6", "libm.so.6", "libsqlite3.so.0"]
    #if !arch(x86_64)
      // On processors other than x86-64, the library is built with a Swift runtime, which needs these libraries (see
      // bindings/c/names.sh).
      allowed.formUnion(["libgcc_s.so.1", "libstdc++.so.6", "ld-linux-aarch64.so.1"])
    #endif
    #expect(needed.isSubset(of: allowed), "\(needed.sorted())")
    #expect(needed.contains("libc.so.6"))
    #expect(outcome.output.contains("[\(Project.soname)]"))
    #expect(!outcome.output.contains("RUNPATH") && !outcome.output.contains("RPATH"))
  }

  @Test func theHeaderStatesOneVersion() {
    #expect(
      fencepost_version_string().map { String(cString: $0) }
        == "\(FENCEPOST_VERSION_MAJOR).\(FENCEPOST_VERSION_MINOR).\(FENCEPOST_VERSION_PATCH)")
  }

  /// Tests/CxxHeader/run.sh compiles the header under every language standard with both compilers.
  @Test func theHeaderCompilesAlone() throws {
    let outcome = try Project.run(["sh", Project.root.appending(path: "Tests/CxxHeader/run.sh").path])
    #expect(outcome.status == 0, "\(outcome.output)")
    #expect(outcome.output.contains("passed"))
  }
}
