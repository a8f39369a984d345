import FencepostKernel

/// Accepts a fix if the device has moved far enough and enough time has passed: the first fix, then each fix that is at
/// least ``minimumDistance`` away from the last accepted fix and at least ``minimumIntervalMicroseconds`` later.
public struct SignificantChangeFilter: Sendable, Hashable {
  /// Metres, 500 by default.
  public let minimumDistance: Double
  /// Microseconds, 300 s by default.
  public let minimumIntervalMicroseconds: Int64
  /// The last accepted fix.
  public private(set) var last: Fix?

  /// - Parameter last: The last fix that an earlier filter accepted, to continue that filter.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` unless the distance is finite and ≥ 0, the interval is 0 …
  ///   10¹⁵, and the last fix is valid and has an accuracy of at least 0.
  public init(
    minimumDistance: Double, minimumIntervalMicroseconds: Int64, last: Fix? = nil
  ) throws(MonitorError) {
    if let last, !last.isUsable {
      throw .invalidArgument(
        last.defect ?? "the accuracy of the last fix is \(last.accuracy); must be at least 0")
    }
    guard minimumDistance.isFinite, minimumDistance >= 0 else {
      throw .invalidArgument("minimum distance is \(minimumDistance); must be finite and at least 0 metres")
    }
    guard (0...TransitionPolicy.longestDuration).contains(minimumIntervalMicroseconds) else {
      throw .invalidArgument(
        "minimum interval is \(minimumIntervalMicroseconds) microseconds; must be from 0 to "
          + "\(TransitionPolicy.longestDuration)")
    }
    self.minimumDistance = minimumDistance
    self.minimumIntervalMicroseconds = minimumIntervalMicroseconds
    self.last = last
  }

  /// 500 m and 300 s, as Core Location documents for significant-change updates.
  public init() {
    minimumDistance = 500
    minimumIntervalMicroseconds = 300_000_000
  }

  /// Whether the filter accepts a fix. It never accepts a fix without a position, a fix that is out of range, or a fix
  /// that is earlier than the last accepted fix.
  public mutating func accepts(_ fix: Fix) -> Bool {
    guard fix.isUsable else { return false }
    if let last {
      // Both times are valid, so the difference does not overflow.
      guard fix.time.microseconds - last.time.microseconds >= minimumIntervalMicroseconds, fix.time >= last.time,
        GeodesicInverse.distance(
          latitude1: last.coordinate.latitude, longitude1: last.coordinate.longitude,
          latitude2: fix.coordinate.latitude, longitude2: fix.coordinate.longitude) >= minimumDistance
      else { return false }
    }
    last = fix
    return true
  }

  /// Resets the filter; it then accepts the next usable fix.
  public mutating func reset() {
    last = nil
  }
}

/// Selects the fix with the smallest current uncertainty.
public struct FixSelection: Sendable, Hashable {
  /// The growth of the uncertainty with age, in metres per second, finite, ≥ 0.
  public var speed: Double
  /// The largest age of a fix that is considered, in microseconds, 0 … 10¹⁵.
  public var maximumAgeMicroseconds: Int64

  public init(speed: Double = 1.5, maximumAgeMicroseconds: Int64 = 300_000_000) {
    self.speed = speed
    self.maximumAgeMicroseconds = maximumAgeMicroseconds
  }

  /// A message about the first value that is out of range; `nil` if both are valid.
  @_optimize(size)
  var defect: String? {
    guard speed.isFinite, speed >= 0 else {
      return "speed is \(speed); must be finite and at least 0 metres a second"
    }
    return (0...TransitionPolicy.longestDuration).contains(maximumAgeMicroseconds)
      ? nil
      : "maximum age is \(maximumAgeMicroseconds) microseconds; must be from 0 to \(TransitionPolicy.longestDuration)"
  }
}

extension FixSelection {
  /// The index of the best of several fixes; `nil` if no fix is usable.
  ///
  /// The device may have moved since a fix, so the uncertainty of a fix is `accuracy + speed · age`. The fix with the
  /// smallest uncertainty wins; of equal ones the latest, then the first. A fix that does not report its accuracy (0)
  /// wins only if no other fix is usable. Fixes without a position, fixes later than `now` and fixes that are too old
  /// are not considered.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if a setting or `now` is out of range.
  public func bestFix(among fixes: Span<Fix>, now: Timestamp) throws(MonitorError) -> Int? {
    if let defect = defect ?? now.defect { throw .invalidArgument(defect) }
    var best: Int?
    var least = (isUnreported: true, uncertainty: Double.infinity, age: Int64.max)
    for index in fixes.indices {
      let fix = fixes[index]
      guard fix.isUsable, fix.time <= now else { continue }
      let age = now.microseconds - fix.time.microseconds
      guard age <= maximumAgeMicroseconds else { continue }
      let found = (fix.accuracy == 0, fix.accuracy + speed * (Double(age) / 1e6), age)
      if best == nil || Self.isBetter(found, least) {
        best = index
        least = found
      }
    }
    return best
  }

  private static func isBetter(_ one: (Bool, Double, Int64), _ other: (Bool, Double, Int64)) -> Bool {
    if one.0 != other.0 { return other.0 }
    if one.1 != other.1 { return one.1 < other.1 }
    return one.2 < other.2
  }
}

/// The best of several fixes at the time `now`; `nil` if no fix is usable. See ``FixSelection/bestFix(among:now:)``.
///
/// - Throws: ``MonitorError/invalidArgument(_:position:)`` if a setting or `now` is out of range.
public func bestFix(
  among fixes: [Fix], now: Timestamp, selection: FixSelection = FixSelection()
) throws(MonitorError) -> Fix? {
  try selection.bestFix(among: fixes.span, now: now).map { fixes[$0] }
}
