import FencepostKernel

/// The stored state of a device, read in place. Most devices need no more: they had a fix, and their state lists only
/// shapes that they are inside or about to cross. ``DeviceState`` writes the record.
struct DeviceRecord {
  private let insides: UnsafePointer<UInt64>
  private let crossings: UnsafePointer<UInt64>
  let insideCount: Int
  let crossingCount: Int

  private static var insideWords: Int { 3 }
  private static var crossingWords: Int { 7 }

  /// - Returns: `nil` for a record that must be unpacked with ``DeviceState``.
  @inline(__always)
  init?(_ words: UnsafePointer<UInt64>) {
    let header = DeviceState.Header(rawValue: words[0] & 0xFF)
    let counts = words[0] &>> 8
    let mask: UInt64 = 1 &<< DeviceState.countBits &- 1
    guard header.contains(.fix), header.isDisjoint(with: [.wide, .rewound]),
      counts &>> (2 &* DeviceState.countBits) == 0
    else { return nil }
    insideCount = Int(counts & mask)
    crossingCount = Int(counts &>> DeviceState.countBits & mask)
    insides = words + (header.contains(.counters) ? 11 : 5)
    crossings = insides + insideCount &* Self.insideWords
  }

  @inline(__always)
  func inside(_ index: Int) -> UInt32 { UInt32(truncatingIfNeeded: insides[index &* Self.insideWords]) }

  func wholeInside(_ index: Int) -> DeviceState.Inside {
    let words = insides + index &* Self.insideWords
    return DeviceState.Inside(
      slot: inside(index), since: Int64(bitPattern: words[1]), evidence: Int64(bitPattern: words[2]))
  }

  @inline(__always)
  func crossing(_ index: Int) -> UInt32 { UInt32(truncatingIfNeeded: crossings[index &* Self.crossingWords]) }

  @inline(__always)
  func isInside(_ slot: UInt32) -> Bool {
    for index in 0..<insideCount where inside(index) == slot { return true }
    return false
  }

  /// The candidate of a shape; `nil` if it has none.
  @inline(__always)
  func candidate(of slot: UInt32) -> Candidate? {
    for index in 0..<crossingCount where crossing(index) == slot { return candidate(index) }
    return nil
  }

  private func candidate(_ index: Int) -> Candidate {
    let words = crossings + index &* Self.crossingWords
    func number(_ index: Int) -> Double { Double(bitPattern: words[index]) }
    return Candidate(
      fix: Fix(
        latitude: number(1), longitude: number(2), accuracy: number(3),
        time: Timestamp(microseconds: Int64(bitPattern: words[4]))),
      boundaryDistance: number(5), deadline: Int64(bitPattern: words[6]), isTimed: words[0] &>> 32 & 1 == 1,
      isOnPath: words[0] &>> 33 == 1)
  }
}
