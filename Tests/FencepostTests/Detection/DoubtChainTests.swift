import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct DoubtChainTests {
  private let plausibility = Plausibility(speed: 60)

  private func fix(_ longitude: Double, _ second: Double, accuracy: Double = 0) -> Fix {
    Fix(latitude: 0, longitude: longitude, accuracy: accuracy, time: at(second))
  }

  @Test func aFixFollowsIfTheDeviceCanReachIt() {
    // A degree of longitude is 111 319.49 m.
    #expect(plausibility.follows(fix(0, 0), fix(0.053, 100)))
    #expect(!plausibility.follows(fix(0, 0), fix(0.054, 100)))
    #expect(plausibility.follows(fix(0, 0), fix(0.054, 100, accuracy: 50)))
    #expect(!plausibility.follows(fix(0, 1), fix(0, 0)))
    #expect(Plausibility(speed: 20_004).follows(fix(0, 0), fix(180, 1_000)))
    #expect(!Plausibility(speed: 20_003).follows(fix(0, 0), fix(180, 1_000)))
  }

  @Test func aChainIsTrustedByCountAndTime() {
    var chain = DoubtChain()
    /// Extends the chain; returns whether it is trusted.
    func extend(_ longitude: Double, _ second: Double) -> Bool {
      chain.extend(with: fix(longitude, second), plausibility)
    }
    var isTrusted = extend(1, 0)
    #expect(!isTrusted && chain.count == 1)
    isTrusted = extend(1, 59)
    #expect(!isTrusted && chain.count == 2)
    isTrusted = extend(1, 59)
    #expect(!isTrusted && chain.count == 3)
    isTrusted = extend(1, 60)
    #expect(isTrusted && chain.isEmpty)
    isTrusted = extend(1, 0)
    #expect(!isTrusted)
    isTrusted = extend(2, 60)
    #expect(!isTrusted && chain.count == 1)
  }

  @Test func valuesOutOfRangeAreRefused() {
    #expect(plausibility.defect == nil)
    for speed in [0, -1, .nan, .infinity] as [Double] { #expect(Plausibility(speed: speed).defect != nil) }
    for count in [1, 1_001] { #expect(Plausibility(speed: 1, corroborationCount: count).defect != nil) }
    for time in [-1, .max] as [Int64] {
      #expect(Plausibility(speed: 1, corroborationTimeMicroseconds: time).defect != nil)
      #expect(MonitorOptions(plausibility: Plausibility(speed: 1, corroborationTimeMicroseconds: time)).defect != nil)
    }
  }

  /// A damaged chain is refused.
  @Test func aChainOfBytes() throws {
    func read(_ count: UInt64, _ first: Fix, _ last: Fix) throws -> DoubtChain {
      var writer = ByteWriter(reserving: 64)
      DoubtChain(count: count, first: first, last: last).encode(to: &writer)
      return try Array(writer.bytes).withRawBytes { bytes throws(Damage) in
        var reader = ByteReader(bytes)
        let chain = try DoubtChain(reading: &reader)
        try reader.end()
        return chain
      }
    }
    let chain = try read(2, fix(1, 0), fix(1, 5))
    #expect(chain.count == 2 && chain.first == fix(1, 0) && chain.last == fix(1, 5))
    #expect(throws: Damage.self) { _ = try read(2, fix(1, 5), fix(1, 0)) }
    #expect(throws: Damage.self) { _ = try read(2, fix(1, 0, accuracy: -1), fix(1, 5)) }
    #expect(throws: Damage.self) { _ = try read(.max, fix(1, 0), fix(1, 5)) }
  }
}
