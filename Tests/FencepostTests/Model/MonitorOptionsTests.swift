import Testing

@testable import Fencepost

@Suite struct MonitorOptionsTests {
  static let defective: [MonitorOptions] = [
    MonitorOptions(conditionLimit: 0), MonitorOptions(conditionLimit: -1), MonitorOptions(maxPendingEvents: 0),
    MonitorOptions(maxPendingEvents: 1_000_000_001), MonitorOptions(initialFixMaxAgeMicroseconds: -1),
    MonitorOptions(beaconExitTimeoutMicroseconds: 0), MonitorOptions(beaconInitialTimeoutMicroseconds: .max),
  ]

  @Test(arguments: defective)
  func defectsAreRefused(_ options: MonitorOptions) {
    do {
      _ = try MonitorEngine(options: options)
      Issue.record("\(options) was accepted")
    } catch {
      guard case .invalidArgument(let reason, _) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(reason.contains("accepted are"))
    }
  }

  @Test func defaultsAreThoseOfTheTable() {
    let options = MonitorOptions()
    #expect(options.delivery == .every && options.conditionLimit == nil && options.maxPendingEvents == 1_000_000)
    #expect(options.initialFixMaxAgeMicroseconds == 60_000_000)
    #expect(options.beaconExitTimeoutMicroseconds == 30_000_000)
    #expect(options.beaconInitialTimeoutMicroseconds == 30_000_000)
    #expect(MonitorOptions.coreLocation.delivery == .first && MonitorOptions.coreLocation.conditionLimit == 20)
    #expect(MonitorEngine.unnamed.options == options)
  }
}
