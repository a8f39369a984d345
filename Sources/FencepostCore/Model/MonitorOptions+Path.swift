extension MonitorOptions {
  /// How the device is taken to have moved from one fix to the next.
  public enum Path: Sendable, Hashable {
    /// It is only known where it was at each fix.
    case fixes
    /// Along the geodesic, at constant speed: the events are those of fixes laid ever more densely on that path, each with
    /// the larger accuracy of the two ends.
    ///
    /// Nothing is taken to have happened on the way when the fixes are more than `maxGapMicroseconds` apart (1 … 10¹⁵), or
    /// when the way is faster than `maxSpeed`, metres a second (above 0; `nil` = any speed). The next event then says
    /// ``Event/followsGap``. What lies before the monitor's clock is late, as fixes there would be.
    case geodesic(maxGapMicroseconds: Int64, maxSpeed: Double? = nil)

    @inline(__always)
    var isGeodesic: Bool { if case .geodesic = self { true } else { false } }

    /// The first value that is out of range, as a message.
    var defect: String? {
      guard case .geodesic(let maxGap, let maxSpeed) = self else { return nil }
      let longest = TransitionPolicy.longestDuration
      guard (1...longest).contains(maxGap) else {
        return "max_gap is \(maxGap) microseconds; must be from 1 to \(longest)"
      }
      if let maxSpeed, !(maxSpeed > 0 && maxSpeed.isFinite) {
        return "max_speed is \(maxSpeed); must be finite and above 0 metres a second, or unset"
      }
      return nil
    }
  }
}
