import CCases
import Testing

/// Runs one case of Tests/CCases, by its index in the registry.
struct CCase: CustomTestStringConvertible, Sendable {
  let index: Int
  let name: String

  var testDescription: String { name }

  static let all: [CCase] = (0..<ccase_count()).map { index in
    CCase(index: index, name: ccase_name(index).map { String(cString: $0) } ?? "case without a name")
  }

  /// `nil` if the case passed, else file:line and the reason.
  func run() -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 8_192) { buffer in
      buffer.initialize(repeating: 0)
      guard let base = buffer.baseAddress, ccase_run(index, base, buffer.count) == 0 else { return nil }
      return String(cString: base)
    }
  }
}

@Suite("C cases")
struct CCaseTests {
  @Test("case", arguments: CCase.all)
  func passes(_ ccase: CCase) {
    if let failure = ccase.run() { Issue.record("\(failure)") }
  }

  @Test func theNamesDiffer() {
    #expect(CCase.all.count >= 80)
    #expect(Set(CCase.all.map(\.name)).count == CCase.all.count)
  }

  @Test func anIndexBeyondTheEndIsReported() {
    #expect(ccase_name(ccase_count()) == nil)
    #expect(CCase(index: ccase_count(), name: "").run()?.contains("there is no case") == true)
  }
}
