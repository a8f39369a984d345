import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct TransitionPolicyTests {
  @Test func presetsAreThoseOfTheTable() {
    let standard = TransitionPolicy.standard
    #expect(standard.entryDwellMicroseconds == 20_000_000 && standard.exitDwellMicroseconds == 20_000_000)
    #expect(standard.marginInwards(size: 100, accuracy: 5) == 20)
    #expect(standard.marginOutwards(size: 100, accuracy: 50) == 50)
    #expect(standard.marginInwards(size: 30, accuracy: 5) == 15)
    #expect(TransitionPolicy.exact.marginInwards(size: 100, accuracy: 500) == 0)
    #expect(TransitionPolicy.exact.marginOutwards(size: 100, accuracy: 500) == 0)
    #expect(TransitionPolicy.coreLocation.marginOutwards(size: 20, accuracy: 5) == 60)
    #expect(TransitionPolicy.coreLocation.marginOutwards(size: 150, accuracy: 5) == 150)
    #expect(TransitionPolicy.coreLocation.marginOutwards(size: 1_000, accuracy: 5) == 200)
  }

  @Test func accuracyLimit() {
    #expect(!TransitionPolicy.standard.isTooCoarse(size: 50, accuracy: 100))
    #expect(TransitionPolicy.standard.isTooCoarse(size: 50, accuracy: 100.1))
    #expect(!TransitionPolicy.standard.isTooCoarse(size: 500, accuracy: 500))
    #expect(!TransitionPolicy.exact.isTooCoarse(size: 50, accuracy: 1e9))
  }

  static let defective: [TransitionPolicy] = [
    TransitionPolicy(entryDwellMicroseconds: -1), TransitionPolicy(exitDwellMicroseconds: 1_000_000_000_000_001),
    TransitionPolicy(entryMargin: -0.1), TransitionPolicy(entryMargin: .nan), TransitionPolicy(exitMargin: .infinity),
    TransitionPolicy(exitMarginLimit: 10), TransitionPolicy(accuracyFactor: -1), TransitionPolicy(accuracyFactor: .nan),
    TransitionPolicy(notify: TransitionPolicy.Notify(rawValue: 8)),
  ]

  @Test(arguments: defective)
  func defectsAreRefused(_ policy: TransitionPolicy) throws {
    var engine = try MonitorEngine()
    do {
      try engine.add(circle(100), identifier: "c", policy: policy)
      Issue.record("\(policy) was accepted")
    } catch {
      guard case .invalidArgument(let reason, _) = error else { throw error }
      #expect(reason.contains("must be"))
    }
    #expect(engine.conditionCount == 0)
  }
}
