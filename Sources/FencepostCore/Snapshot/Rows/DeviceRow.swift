/// The row of the data about a device that does not belong to single conditions. A monitor has one such row, with the
/// number 0.
struct DeviceRow {
  var clock: Int64
  var counters: InputCounters
  var lastFix: Fix?
  /// The error ellipse of the last fix.
  var ellipse: FixEllipse?
  /// The height of the last fix.
  var height: FixHeight?
  var hostFlags: Diagnostics
  var unsupportedKinds: UInt32
  var isScanning: Bool
  /// A shape without a ``StateRow`` whose generation is at most this one is settled outside, as was assumed. Nothing is
  /// known yet about shapes with later generations.
  var swept: UInt64
  /// The gap, which is written only if there is one, or if fixes were doubted; see ``Timeline/gap``.
  var gap = Int64.min
  /// The chain, which is written only if fixes were doubted; see ``Timeline/chain``.
  var chain = DoubtChain()

  func encode(to writer: inout ByteWriter) {
    writer.putCompact(clock)
    writer.putCompact(counters.inputCount)
    writer.putCompact(counters.acceptedFixes)
    writer.putCompact(counters.invalidFixes)
    writer.putCompact(counters.lateInputs)
    writer.putCompact(counters.aheadInputs)
    writer.putCompact(counters.acceptedSightings)
    writer.putCompact(UInt64(hostFlags.rawValue))
    writer.put(UInt8(unsupportedKinds))
    writer.put(isScanning)
    writer.putCompact(swept)
    writer.put((lastFix == nil ? 0 : (ellipse == nil ? 1 : 2) + (height == nil ? 0 : 2)) as UInt8)
    lastFix?.encode(to: &writer)
    if lastFix != nil {
      ellipse?.encode(to: &writer)
      height?.encode(to: &writer)
    }
    let hasDoubted = counters.doubtedFixes > 0 || !chain.isEmpty
    if gap != .min || hasDoubted { writer.putCompact(gap) }
    guard hasDoubted else { return }
    writer.putCompact(counters.doubtedFixes)
    chain.encode(to: &writer)
  }

  init(reading reader: inout ByteReader) throws(Damage) {
    let largest = EngineRestorer.largest
    clock = try reader.takeSignedTime("clock")
    counters = InputCounters()
    let inputCount: UInt64 = try reader.takeCompact("input_count", in: 0...largest)
    counters.acceptedFixes = try reader.takeCompact("accepted_fixes", in: 0...largest)
    counters.invalidFixes = try reader.takeCompact("invalid_fixes", in: 0...largest)
    counters.lateInputs = try reader.takeCompact("late_inputs", in: 0...largest)
    counters.aheadInputs = try reader.takeCompact("ahead_inputs", in: 0...largest)
    counters.acceptedSightings = try reader.takeCompact("accepted_sightings", in: 0...largest)
    hostFlags = Diagnostics(rawValue: try reader.takeCompact("host's flags", in: 0...Diagnostics.all.rawValue))
    unsupportedKinds = UInt32(try reader.take(UInt8.self))
    isScanning = try reader.takeBool("scanning")
    swept = try reader.takeCompact("swept", in: 0...largest)
    let hasFix: UInt8 = try reader.take("last_fix", in: 0...4)
    lastFix = hasFix > 0 ? try Fix(reading: &reader) : nil
    if hasFix == 2 || hasFix == 4 { ellipse = try FixEllipse(reading: &reader) }
    if hasFix > 2 { height = try FixHeight(reading: &reader) }
    if reader.remaining > 0 {
      gap = try reader.takeSigned()
      guard gap != .min || reader.remaining > 0 else { throw Damage("a gap has no time") }
    }
    if reader.remaining > 0 {
      counters.doubtedFixes = try reader.takeCompact("doubted_fixes", in: 1...largest)
      chain = try DoubtChain(reading: &reader)
      guard chain.isEmpty || lastFix != nil else { throw Damage("fixes are doubted without a known one") }
    }
    // The number of other inputs is what the other counters leave over, so it comes last.
    counters.inputCount = inputCount
    try reader.end()
    try check()
  }

  func check() throws(Damage) {
    guard hostFlags.isSubset(of: .hostFlags) else { throw Damage("the host's flags include unknown ones") }
    guard unsupportedKinds & ~ConditionKind.allBits == 0 else { throw Damage("an unsupported kind is unknown") }
    if let lastFix, lastFix.time.microseconds > clock { throw Damage("the last fix is later than the clock") }
  }

  init(
    clock: Int64, counters: InputCounters, lastFix: Fix?, hostFlags: Diagnostics, unsupportedKinds: UInt32,
    isScanning: Bool, swept: UInt64
  ) {
    self.clock = clock
    self.counters = counters
    self.lastFix = lastFix
    self.hostFlags = hostFlags
    self.unsupportedKinds = unsupportedKinds
    self.isScanning = isScanning
    self.swept = swept
  }

  /// The row of a monitor without inputs.
  static var withoutInputs: DeviceRow {
    DeviceRow(
      clock: .min, counters: InputCounters(), lastFix: nil, hostFlags: [], unsupportedKinds: 0, isScanning: true,
      swept: 0)
  }

  init(_ tracker: borrowing Tracker, swept: UInt64) {
    self.init(
      clock: tracker.clock, counters: tracker.counters, lastFix: tracker.lastFix,
      hostFlags: tracker.host.flags, unsupportedKinds: tracker.host.unsupportedKinds, isScanning: tracker.isScanning,
      swept: swept)
    ellipse = tracker.lastEllipse
    height = tracker.lastHeight
    gap = tracker.gap
    chain = tracker.chain
  }

  var host: HostState { HostState(flags: hostFlags, unsupportedKinds: unsupportedKinds) }
}

extension Fix {
  func encode(to writer: inout ByteWriter) {
    writer.put(coordinate.latitude)
    writer.put(coordinate.longitude)
    writer.putCompact(accuracy)
    writer.putCompact(time.microseconds)
  }

  init(reading reader: inout ByteReader) throws(Damage) {
    self.init(
      latitude: try reader.takeDouble(), longitude: try reader.takeDouble(), accuracy: try reader.takeCompactDouble(),
      time: Timestamp(microseconds: try reader.takeSigned()))
    guard isUsable else { throw Damage.unusableFix }
  }
}
