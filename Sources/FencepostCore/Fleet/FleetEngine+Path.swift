import FencepostKernel

/// The paths of devices between their fixes. ``Tracker`` evaluates a path in the same way as that of a monitor. The
/// methods here handle the paths on which certainly nothing happens.
extension FleetEngine {
  /// Paths that are longer than this, in metres, are left to the tracker.
  private static let longestWay = 50_000.0

  /// Accepts a fix if it is in the hidden safe region. The previous fix is in the region too, so a path between the
  /// two fixes reaches no threshold.
  ///
  /// - Returns: Whether the fix was accepted; otherwise nothing has changed.
  mutating func stays(_ fix: Fix, _ device: UInt32, _ table: ConditionTable) -> Bool {
    let line = devices.lines[device]
    guard line.seen == table.order.lastGeneration, line.earliest > fix.time.microseconds, line.region.isHidden,
      line.cold != ColdStore.none, line.region.contains(fix.coordinate), isSurelyNoGap(to: fix, device)
    else { return false }
    devices.lines[device].clock = fix.time.microseconds
    replaceLastFix(device, fix)
    return true
  }

  /// Whether the path to a fix is certainly not a gap: it neither takes too long nor is it too fast.
  private func isSurelyNoGap(to fix: Fix, _ device: UInt32) -> Bool {
    let words = devices.cold.words(devices.lines[device].cold)
    // The data of hasExtras(in:), such as an error ellipse, are not replaced in place.
    guard let last = DeviceState.lastFix(in: words), !DeviceState.hasExtras(in: words) else { return false }
    guard case .geodesic(let maxGap, let maxSpeed) = options.path else { return true }
    let duration = fix.time.microseconds - last.time.microseconds
    guard duration >= 0, duration <= maxGap else { return false }
    guard maxSpeed != nil, duration > 0 else { return true }
    let position = EarthVector(latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude)
    return lengthOfWay(to: fix, at: position, device) != nil
  }

  /// Returns an upper bound, close to the exact value, of the length of the path from the last fix of a device, in
  /// metres; `nil` if the path may be a gap or is too long.
  ///
  /// - Parameter position: The position of the fix.
  func lengthOfWay(to fix: Fix, at position: EarthVector, _ device: UInt32) -> Double? {
    guard case .geodesic(let maxGap, let maxSpeed) = options.path,
      let last = DeviceState.lastFix(in: devices.cold.words(devices.lines[device].cold))
    else { return nil }
    let duration = fix.time.microseconds - last.time.microseconds
    guard duration >= 0, duration <= maxGap else { return nil }
    let start = EarthVector(latitude: last.coordinate.latitude, longitude: last.coordinate.longitude)
    let chord = position.squaredChord(to: start).squareRoot()
    guard chord < Self.longestWay else { return nil }
    // The difference between the length of an arc and that of its chord is less than the height of the arc above the
    // chord.
    let length = chord + Leg.sag(chord)
    // A path that takes no time counts as too fast only if it meets a line.
    if let maxSpeed, duration > 0, length > maxSpeed * (Double(duration) / 1e6) { return nil }
    return length + Neighbourhood.chordGuard
  }
}

extension Tracker {
  /// The gap to store. A gap that was reported is stored only as long as events of the same instant may follow.
  var gapToKeep: Int64 { gap >= clock ? gap : .min }
}
