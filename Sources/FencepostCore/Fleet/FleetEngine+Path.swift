import FencepostKernel

/// The ways of devices between their fixes: ``Tracker`` walks them as it walks those of a monitor. Here are the ways on which
/// nothing happens for certain.
extension FleetEngine {
  /// Longer ways are for the tracker, metres.
  private static let longestWay = 50_000.0

  /// Takes a fix that lies in the hidden safe region, as does the fix before, so that the way between them reaches nothing.
  ///
  /// - Returns: Whether it did; else nothing has changed.
  mutating func stays(_ fix: Fix, _ device: UInt32, _ table: ConditionTable) -> Bool {
    let line = devices.lines[device]
    guard line.seen == table.order.lastGeneration, line.earliest > fix.time.microseconds, line.region.isHidden,
      line.cold != ColdStore.none, line.region.contains(fix.coordinate), isSurelyNoGap(to: fix, device)
    else { return false }
    devices.lines[device].clock = fix.time.microseconds
    devices.replaceLastFix(device, fix)
    return true
  }

  /// Whether the way to a fix is known for certain: it is neither too long in time nor too fast.
  private func isSurelyNoGap(to fix: Fix, _ device: UInt32) -> Bool {
    guard case .geodesic(let maxGap, let maxSpeed) = options.path,
      let last = DeviceState.lastFix(in: devices.cold.words(devices.lines[device].cold))
    else { return false }
    let duration = fix.time.microseconds - last.time.microseconds
    guard duration >= 0, duration <= maxGap else { return false }
    guard maxSpeed != nil, duration > 0 else { return true }
    let position = EarthVector(latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude)
    return lengthOfWay(to: fix, at: position, device) != nil
  }

  /// The length of the way from the last fix of a device, or a little more, metres; `nil` where it may be a gap, or is long.
  ///
  /// - Parameter position: of the fix.
  func lengthOfWay(to fix: Fix, at position: EarthVector, _ device: UInt32) -> Double? {
    guard case .geodesic(let maxGap, let maxSpeed) = options.path,
      let last = DeviceState.lastFix(in: devices.cold.words(devices.lines[device].cold))
    else { return nil }
    let duration = fix.time.microseconds - last.time.microseconds
    guard duration >= 0, duration <= maxGap else { return nil }
    let start = EarthVector(latitude: last.coordinate.latitude, longitude: last.coordinate.longitude)
    let chord = position.squaredChord(to: start).squareRoot()
    guard chord < Self.longestWay else { return nil }
    // An arc is longer than its chord by less than its height above it.
    let length = chord + Leg.sag(chord)
    // A way that takes no time is too fast only where it meets a line.
    if let maxSpeed, duration > 0, length > maxSpeed * (Double(duration) / 1e6) { return nil }
    return length + Neighbourhood.chordGuard
  }

  /// Forgets the last fixes of devices that came from a fleet without a path, which does not keep them exactly.
  mutating func dropInexactFixes() {
    devices.own()
    for device in devices.numbers where devices.lines[device].cold != ColdStore.none {
      devices.load(device, into: &state)
      guard let fix = state.lastFix, fix.time.microseconds < devices.lines[device].clock else { continue }
      state.lastFix = nil
      store(device)
    }
  }
}

extension Tracker {
  /// What is to be kept of a gap: of one that was told, only while events of the same instant may come.
  var gapToKeep: Int64 { gap == .max || gap >= clock ? gap : .min }
}
