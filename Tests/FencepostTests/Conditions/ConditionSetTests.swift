import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct ConditionSetTests {
  private func append(
    _ set: inout ConditionSet, _ identifier: String, _ condition: any Condition = circle(100),
    assuming: Event.State = .unknown, policy: TransitionPolicy = .standard
  ) throws(MonitorError) {
    try ContiguousArray(identifier.utf8).withUnsafeBufferPointer { bytes throws(MonitorError) in
      try set.append(condition, identifier: bytes, assuming: assuming, policy: policy, tag: UInt64(set.count))
    }
  }

  @Test func keepsRowsInOrder() throws {
    var set = ConditionSet()
    for identifier in ["b", "a", "", "long enough to be no small identifier"] where !identifier.isEmpty {
      try append(&set, identifier)
    }
    var seen: [String] = []
    set.forEach { row, identifier, definition in
      #expect(definition.tag == UInt64(row))
      seen.append("\(row) \(String(decoding: identifier, as: UTF8.self))")
    }
    #expect(seen == ["0 b", "1 a", "2 long enough to be no small identifier"])
    #expect(try set.identifiers().string(of: 1) == "a")
  }

  /// The error names the refused row. The refused row is not added, but the rows before the refused row are added.
  @Test func namesTheRowThatIsRefused() throws {
    struct Another: Condition {}
    var policy = TransitionPolicy.standard
    policy.entryMargin = -1
    var set = ConditionSet()
    try append(&set, "a")
    let attempts: [(String, (inout ConditionSet) throws(MonitorError) -> Void)] = [
      ("empty", { set throws(MonitorError) in try append(&set, "") }),
      ("257 bytes", { set throws(MonitorError) in try append(&set, String(repeating: "x", count: 257)) }),
      ("zero byte", { set throws(MonitorError) in try append(&set, "a\0b") }),
      ("radius is 0.0", { set throws(MonitorError) in try append(&set, "b", circle(0)) }),
      ("unmonitored", { set throws(MonitorError) in try append(&set, "b", assuming: .unmonitored) }),
      ("entry_margin", { set throws(MonitorError) in try append(&set, "b", policy: policy) }),
      ("unknown type", { set throws(MonitorError) in try append(&set, "b", Another()) }),
      (
        "too_few_vertices",
        { set throws(MonitorError) in
          try append(&set, "b", PolygonalGeographicCondition(exterior: [Coordinate(latitude: 0, longitude: 0)]))
        }
      ),
    ]
    for (words, attempt) in attempts {
      do throws(MonitorError) {
        try attempt(&set)
        Issue.record("\(words): accepted")
      } catch {
        guard case .invalidArgument(let reason, let position) = error else {
          Issue.record("\(words): \(error)")
          continue
        }
        #expect(position == 1 && reason.hasPrefix("row 1: ") && reason.contains(words), "\(reason)")
        #expect(error.inRow(1) == error, "the row is named once")
      }
      #expect(set.count == 1)
    }
    try append(&set, "b")
    #expect(set.count == 2)
  }

  @Test func twoRowsOfOneIdentifierAreDistinguished() throws {
    var set = ConditionSet()
    for identifier in ["a", "b", "c", "b"] { try append(&set, identifier) }
    do throws(MonitorError) {
      _ = try set.identifiers()
      Issue.record("accepted")
    } catch {
      #expect(error == .invalidArgument("row 3: the identifier \"b\" is also that of row 1", position: 3))
    }
  }
}
