import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct DiagnosticsTests {
  @Test func flagsOfAnEventAreItsBits() {
    let flags: [(Diagnostics, (Event) -> Bool)] = [
      (.authorizationDenied, \.authorizationDenied), (.authorizationDeniedGlobally, \.authorizationDeniedGlobally),
      (.authorizationRestricted, \.authorizationRestricted), (.insufficientlyInUse, \.insufficientlyInUse),
      (.accuracyLimited, \.accuracyLimited), (.conditionUnsupported, \.conditionUnsupported),
      (.conditionLimitExceeded, \.conditionLimitExceeded), (.persistenceUnavailable, \.persistenceUnavailable),
      (.serviceSessionRequired, \.serviceSessionRequired),
      (.authorizationRequestInProgress, \.authorizationRequestInProgress),
    ]
    for (bit, (flag, _)) in flags.enumerated() {
      #expect(flag.rawValue == 1 << UInt32(bit))
      var event = Event(identifier: "c", state: .unknown, generation: 1)
      event.diagnostics = flag
      #expect(flags.map { $0.1(event) } == flags.indices.map { $0 == bit })
    }
  }

  @Test func persistenceAloneSuspendsNothing() {
    #expect(!Diagnostics.persistenceUnavailable.suspends)
    #expect(Diagnostics.hostFlags.suspends)
    let engines: Diagnostics = [
      .conditionUnsupported, .conditionLimitExceeded, .persistenceUnavailable, .inactive, .scheduleEnded, .exhausted,
    ]
    #expect(Diagnostics.hostFlags.isDisjoint(with: engines))
    #expect(Diagnostics.hostFlags.union(engines).rawValue == 1 << 13 - 1)
  }
}
