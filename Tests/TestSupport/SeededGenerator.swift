import Foundation

/// A small deterministic generator (SplitMix64: Steele, Lea and Flood, OOPSLA 2014). A generator without a salt prints
/// its seed, so that FENCEPOST_SEED can repeat a failure.
public struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  /// The seed of all generators.
  public static let seed = ProcessInfo.processInfo.environment["FENCEPOST_SEED"].flatMap { UInt64($0) } ?? usualSeed
  public static let usualSeed: UInt64 = 20_130_103

  /// - Parameter salt: distinguishes the runs of one test.
  public init(_ purpose: String, seed: UInt64 = Self.seed, salt: UInt64 = 0) {
    if salt == 0 { print("\(purpose): FENCEPOST_SEED=\(seed)") }
    state = seed &+ salt &* 0xd134_2543_de82_ef95
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  public mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    Double.random(in: range, using: &self)
  }

  public mutating func integer(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &self)
  }

  public mutating func chance(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &self) < probability
  }

  /// A random number for which every order of magnitude is equally likely.
  public mutating func logarithmic(_ low: Double, _ high: Double) -> Double {
    exp(uniform(log(low)...log(high)))
  }
}

/// True if the long versions of the tests run: see `make soak`.
public let isSoak = ProcessInfo.processInfo.environment["FENCEPOST_SOAK"] == "1"
