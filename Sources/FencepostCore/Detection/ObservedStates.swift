import FencepostKernel

/// What is believed of each condition of one device, and what its host stated: all that is saved of a tracker, apart from
/// its ``Timeline``.
///
/// Whatever is saved can only be changed by a call that notes it, so that no detector has to remember to. Which shapes have
/// an entry, who is listed, and where a watch stands is not saved, and is not noted.
struct ObservedStates: Sendable {
  private(set) var shapes = SlotStates()
  private(set) var candidates = DeviceEntries<Candidate>()
  private(set) var beacons = DeviceEntries<BeaconTrack>()
  private(set) var host = HostState()
  private(set) var isScanning = true
  private(set) var journal = Journal()

  /// What the detectors believe of a condition.
  func observed(_ slot: UInt32, _ table: ConditionTable) -> Observed {
    table.kind(of: slot).isGeographic
      ? shapes.observed(slot, table) : beacons[slot]?.observed ?? .undetermined
  }

  @inline(__always)
  func candidate(of slot: UInt32) -> Candidate? { candidates.isEmpty ? nil : candidates[slot] }

  func beacon(_ slot: UInt32) -> BeaconTrack? { beacons.isEmpty ? nil : beacons[slot] }

  // MARK: - Conditions that come and go

  /// Makes room for what is known of a condition that came into a slot.
  mutating func adopt(_ slot: UInt32, _ table: ConditionTable) {
    enter(slot, table)
    journal.touch(slot)
  }

  /// The same for one that was saved.
  mutating func enter(_ slot: UInt32, _ table: ConditionTable) {
    if table.kind(of: slot).isGeographic {
      shapes.adopt(generation: table.generation(of: slot))
    } else {
      beacons[slot] = BeaconTrack()
    }
  }

  /// Forgets a condition that left its slot; its row goes with it.
  mutating func drop(_ slot: UInt32) {
    shapes.drop(slot)
    if !beacons.isEmpty { beacons[slot] = nil }
  }

  /// Takes note that a condition got its place under the condition limit, which its row tells.
  mutating func promote(_ slot: UInt32) { journal.touch(slot) }

  // MARK: - Shapes

  /// Believes a shape to be on a side, and its watch to stand somewhere.
  ///
  /// - Parameters:
  ///   - before: its state until now.
  ///   - observed: What is believed from now on, which is noted; `nil`: as before. Of a shape that was swept through just
  ///     now the state until now says nothing.
  ///   - index: in ``Watches``, or ``SlotState/none``.
  @inline(__always)
  mutating func set(
    _ slot: UInt32, from before: SlotState, to observed: Observed?, active index: UInt32, _ table: ConditionTable
  ) {
    if observed != nil { journal.touch(slot) }
    let observed = observed ?? before.observed
    if observed != before.observed || index != before.active { shapes.set(slot, observed, active: index, table) }
  }

  /// Takes note of where the watch of a shape stands.
  mutating func setActive(_ slot: UInt32, _ index: UInt32, _ table: ConditionTable) {
    shapes.setActive(slot, index, table)
  }

  /// Believes a shape to be undetermined, after a fix that was too coarse for it.
  mutating func setTooCoarse(_ slot: UInt32, _ table: ConditionTable) {
    shapes.setTooCoarse(slot, table)
    journal.touch(slot, isUrgent: false)
  }

  /// Believes a condition to be undetermined, with nothing that is about to happen to it.
  mutating func forget(_ slot: UInt32, _ table: ConditionTable) {
    if table.kind(of: slot).isGeographic {
      shapes.setUndetermined(slot, table)
    } else {
      beacons[slot]?.observed = .undetermined
    }
    journal.touch(slot)
  }

  /// Opens a crossing in the making.
  mutating func open(_ candidate: Candidate, _ slot: UInt32) {
    candidates[slot] = candidate
    journal.touch(slot)
  }

  /// Closes the crossing in the making that a shape has.
  ///
  /// - Returns: Whether it had one.
  @inline(__always)
  @discardableResult
  mutating func closeCandidate(_ slot: UInt32) -> Bool {
    candidates.isEmpty ? false : removeCandidate(slot)
  }

  @inline(never)
  private mutating func removeCandidate(_ slot: UInt32) -> Bool {
    guard candidates.remove(slot) else { return false }
    journal.touch(slot)
    return true
  }

  // MARK: - Who waits for a fix; see ``SlotStates``

  mutating func wait(_ slot: UInt32, _ table: ConditionTable) { shapes.wait(slot, table) }
  mutating func sweepLast() { shapes.sweepLast() }
  mutating func sweep(_ table: ConditionTable) { shapes.sweep(table) }
  mutating func tidy(_ slot: UInt32, _ table: ConditionTable) { shapes.tidy(slot, table) }
  mutating func takeListed(_ table: ConditionTable) -> ContiguousArray<UInt32> { shapes.takeListed(table) }
  mutating func rebase(_ table: ConditionTable) { shapes.rebase(table) }

  /// Keeps a shape undetermined that others of its kind were swept past.
  mutating func keepUndetermined(_ slot: UInt32, _ table: ConditionTable) { shapes.setUndetermined(slot, table) }

  // MARK: - Beacons

  /// The beacon conditions, in add order.
  func beaconSlots(_ table: ConditionTable) -> ContiguousArray<UInt32> {
    guard !beacons.isEmpty else { return [] }
    var slots = ContiguousArray(beacons.slots)
    table.putInOrder(&slots)
    return slots
  }

  /// Takes note of a sighting.
  ///
  /// - Parameter deadline: When the beacon is absent unless it is seen again, microseconds.
  /// - Returns: What was believed before; a condition that is no beacon's was inside.
  mutating func see(_ slot: UInt32, at time: Int64, deadline: Int64) -> Observed {
    guard let before = beacons[slot]?.observed else { return .inside }
    beacons[slot] = BeaconTrack(observed: .inside, lastSighting: time, deadline: deadline)
    journal.touch(slot, isUrgent: before != .inside)
    return before
  }

  /// Takes note of when a beacon that is not seen is absent, microseconds.
  mutating func countAbsence(_ slot: UInt32, until deadline: Int64) {
    beacons[slot]?.deadline = deadline
    journal.touch(slot)
  }

  /// Believes no matching beacon to be near.
  ///
  /// - Returns: What was known before; `nil` for a condition that is no beacon's.
  mutating func settleAbsent(_ slot: UInt32) -> BeaconTrack? {
    guard let before = beacons[slot] else { return nil }
    beacons[slot] = BeaconTrack(observed: .outside, lastSighting: before.lastSighting)
    journal.touch(slot)
    return before
  }

  /// Counts the absence of a beacon no more, of a condition that is forgotten or dropped with it.
  mutating func endAbsence(_ slot: UInt32) {
    if !beacons.isEmpty { beacons[slot]?.deadline = .max }
  }

  // MARK: - The host

  mutating func state(_ stated: HostState) {
    host = stated
    journal.markUrgent()
  }

  mutating func scan(_ isOn: Bool) {
    isScanning = isOn
    journal.markUrgent()
  }

  // MARK: - All at once

  /// Forgets what is believed of all shapes; each is then to be forgotten by itself, which notes it.
  mutating func forgetShapes() {
    journal.markUrgent()
    shapes.forgetAll()
  }

  /// Forgets when a beacon was seen, of a condition that is forgotten with it.
  mutating func forgetSighting(_ slot: UInt32) {
    if !beacons.isEmpty { beacons[slot]?.lastSighting = .min }
  }

  // MARK: - Many devices in turn, which have no storage

  /// Begins with a device of which nothing is known but that all shapes up to a generation are settled outside.
  mutating func begin(isScanning: Bool, sweptThrough generation: UInt64, _ table: ConditionTable) {
    self.isScanning = isScanning
    shapes.begin(sweptThrough: generation, table)
    candidates.removeAll()
    beacons.removeAll()
  }

  /// Takes what is believed of a shape of which nothing is known yet, and where its watch stands.
  mutating func load(_ slot: UInt32, _ observed: Observed, active index: UInt32) {
    shapes.load(slot, observed, active: index)
  }

  /// Takes what is known of the beacons of a condition.
  mutating func load(_ slot: UInt32, _ track: BeaconTrack) { beacons[slot] = track }

  // MARK: - The journal

  mutating func beginJournal() { journal = Journal(isOn: true) }
  mutating func clearJournal() { journal.clear() }
  mutating func add(earlier: Journal) { journal.add(earlier: earlier) }
  mutating func endJournal() { journal = Journal() }

  // MARK: - Restoring

  /// Takes what was saved of the host, and the generation up to which shapes without a row are settled outside.
  mutating func restore(host: HostState, isScanning: Bool, sweptThrough generation: UInt64) {
    self.host = host
    self.isScanning = isScanning
    shapes.restore(sweptThrough: generation)
  }

  /// Restores the saved state of a condition.
  mutating func restore(
    _ slot: UInt32, _ observed: Observed, hasMetCoarseFix: Bool, _ candidate: Candidate?, _ track: BeaconTrack?,
    _ table: ConditionTable
  ) throws(Damage) {
    let isGeographic = table.isGeographic(slot)
    guard candidate == nil || (isGeographic && observed != .undetermined) else {
      throw Damage("a beacon or an undetermined shape has a candidate")
    }
    guard track == nil || !isGeographic else { throw Damage("a shape has a sighting") }
    if isGeographic {
      shapes.restore(slot, observed, hasMetCoarseFix: hasMetCoarseFix, table)
      if let candidate { candidates[slot] = candidate }
    } else {
      var track = track ?? BeaconTrack()
      track.observed = observed
      beacons[slot] = track
    }
  }
}

/// The side of a condition's boundary on which the detectors of one device observe the device.
enum Observed: UInt8, Sendable {
  case undetermined = 0
  /// Inside, or a matching beacon is near.
  case inside = 1
  /// Outside, or no matching beacon is near.
  case outside = 2

  var state: Event.State {
    switch self {
    case .undetermined: .unknown
    case .inside: .satisfied
    case .outside: .unsatisfied
    }
  }
}

/// A crossing that is not confirmed yet: a decisive fix was on the other side, and no later fix was on the old side.
struct Candidate: Sendable {
  /// The fix that opened it.
  var fix: Fix
  /// The signed boundary distance of the fix, in metres.
  var boundaryDistance: Double
  /// The time at which the dwell ends, in microseconds.
  var deadline: Int64
  /// Whether the deadline confirms the crossing; otherwise the first fix on the new side at or after the deadline does.
  var isTimed: Bool
  /// The fix is a point of the path between two fixes.
  var isOnPath = false
}

/// The observed state of a beacon condition, and its last sighting.
struct BeaconTrack: Sendable {
  var observed: Observed = .undetermined
  /// The time of the last matching sighting, in microseconds; `Int64.min` without a sighting.
  var lastSighting: Int64 = .min
  /// The time at which the beacon counts as absent, in microseconds; `Int64.max` while absence is not counted.
  var deadline: Int64 = .max

  /// Whether only the observed state must be stored.
  var isBlank: Bool { lastSighting == .min && deadline == .max }
}
