import Foundation
import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct EventJSONTests {
  private func event() -> Event {
    var event = Event(identifier: "home", state: .satisfied, generation: 3)
    event.sequence = 12
    event.cause = .crossing
    event.date = Timestamp(microseconds: 1_700_000_000_000_001)
    event.evidenceDate = Timestamp(microseconds: -1)
    event.evidence = Event.Evidence(
      coordinate: Coordinate(latitude: 52.5, longitude: -0.1), accuracy: 5, boundaryDistance: -1e-7)
    return event
  }

  @Test func isOneLineWithKeysInOrder() {
    var event = event()
    #expect(
      event.json == #"{"sequence":12,"identifier":"home","state":"satisfied","cause":"crossing","#
        + #""date":"2023-11-14T22:13:20.000001Z","evidence_date":"1969-12-31T23:59:59.999999Z","refinement":null,"#
        + #""diagnostics":[],"generation":3,"latitude":52.5,"longitude":-0.1,"accuracy":5,"boundary_distance":-1e-07}"#)
    event.evidence = nil
    event.date = nil
    event.evidenceDate = nil
    event.beacon = BeaconIdentityCondition(uuid: someUUID, major: 65_535, minor: 0)
    event.diagnostics = [.authorizationDenied, .conditionLimitExceeded, .authorizationRequestInProgress]
    #expect(
      event.json == #"{"sequence":12,"identifier":"home","state":"satisfied","cause":"crossing","date":null,"#
        + #""evidence_date":null,"refinement":{"uuid":"e2c56db5-dffb-48d2-b060-d0f5a71096e0","major":65535,"minor":0},"#
        + #""diagnostics":["authorization_denied","condition_limit_exceeded","authorization_request_in_progress"],"#
        + #""generation":3,"latitude":null,"longitude":null,"accuracy":null,"boundary_distance":null}"#)
  }

  @Test(arguments: [
    "\"", "\\", "a\nb\rc\td", "\u{1}\u{1f}\u{7f}", "/", "é", "e\u{301}", "🦊", "\u{2028}", "</script>", "{\"a\":1}",
  ])
  func identifiersComeBack(_ identifier: String) throws {
    var event = event()
    event.identifier = identifier
    #expect(!event.json.utf8.contains { $0 < 0x20 })
    let read = try #require(try JSONSerialization.jsonObject(with: Data(event.json.utf8)) as? [String: Any])
    #expect(read["identifier"] as? String == identifier)
  }

  @Test func numbersComeBack() throws {
    var random = SeededGenerator("EventJSONTests")
    var event = event()
    for _ in 0..<3_000 {
      let value = Double(bitPattern: random.next())
      event.evidence?.boundaryDistance = value
      let read = try #require(try JSONSerialization.jsonObject(with: Data(event.json.utf8)) as? [String: Any])
      if value.isFinite {
        // Parses the text with Swift's own parser, which rounds correctly.
        let text = try #require(event.json.split(separator: ":").last?.dropLast())
        #expect(Double(text) == value)
        #expect(!text.hasSuffix(".0"))
      } else {
        #expect(read["boundary_distance"] is NSNull)
      }
    }
  }

  /// In JSON, each value has the name of its enumeration case, so no two values of an enumeration have the same name.
  @Test func namesAreDistinct() {
    let states = [Event.State.unknown, .satisfied, .unsatisfied, .unmonitored].map { "\($0.name)" }
    #expect(states == ["unknown", "satisfied", "unsatisfied", "unmonitored"])
    let causes = [Event.Cause.none, .determination, .crossing, .timeout, .diagnostic, .repeat].map { "\($0.name)" }
    #expect(causes == ["none", "determination", "crossing", "timeout", "diagnostic", "repeat"])
    #expect(Set(Diagnostics.names.map { "\($0)" }).count == 13)
    #expect(Set(Explanation.Reason.allCases.map { "\($0.name)" }).count == 16)
  }
}
