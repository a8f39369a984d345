/// A small deterministic generator (SplitMix64: Steele, Lea and Flood, OOPSLA 2014). It prints its seed, so that a
/// failure can be repeated with FENCEPOST_TEST_SEED.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(_ purpose: String, environment: [String: String]) {
    state = environment["FENCEPOST_TEST_SEED"].flatMap { UInt64($0) } ?? 20_130_103
    print("\(purpose): FENCEPOST_TEST_SEED=\(state)")
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    Double.random(in: range, using: &self)
  }
}
