import FencepostKernel
import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct WatchesTests {
  private func watch(_ slot: UInt32) -> Watch {
    Watch(centre: EarthVector(latitude: 0, longitude: Double(slot)), threshold: 100, direction: 1, slot: slot)
  }

  private func local(_ metres: Double) -> Watch.Local {
    Watch.Local(position: EarthVector(latitude: 0, longitude: 0), least: metres, most: metres)
  }

  /// When a watch is removed, the last watch moves to the index of the removed watch and keeps its own measurement
  /// (`Watch.Local`).
  @Test func closesGapsWithTheLast() {
    var watches = Watches()
    #expect(watches.append(watch(10), local(1)) == 0)
    #expect(watches.append(watch(11), nil) == 1)
    #expect(watches.append(watch(12), local(3)) == 2)
    #expect(watches.remove(0) == 12, "it says whose index changed")
    #expect(watches.watches.map(\.slot) == [12, 11])
    #expect(watches.local(0)?.least == 3 && watches.local(1) == nil)
    #expect(watches.remove(1) == nil, "the last one leaves no gap")
    #expect(watches.remove(0) == nil)
    #expect(watches.watches.isEmpty)
  }

  /// If a watch is updated without a new measurement, it keeps the earlier measurement (`Watch.Local`).
  @Test func keepsWhatItWasDrawnFrom() {
    var watches = Watches()
    _ = watches.append(watch(10), local(1))
    watches.update(0, watch(10), nil)
    #expect(watches.local(0)?.least == 1)
    watches.update(0, watch(10), local(2))
    #expect(watches.local(0)?.least == 2)
  }

  @Test func slackIsTheWayToTheThreshold() {
    let here = EarthVector(latitude: 0, longitude: 0)
    var outwards = Watch(centre: here, threshold: 100, direction: 1, slot: 0)
    #expect(outwards.slack(at: here) == 100)
    outwards.direction = -1
    #expect(outwards.slack(at: here) == -100, "within the threshold: it acts at once")
    let any = Circle(latitude: 0, longitude: 0, radius: 5).watch(0, .any)
    #expect(any.slack(at: here) == -.infinity, "whatever comes")
  }
}
