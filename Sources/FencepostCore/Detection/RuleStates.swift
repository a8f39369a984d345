import FencepostKernel

/// The states of the rules for one device, and of their parts as rules count them. Each name of a ``RuleBook`` has a
/// cell.
///
/// A rule is looked at only if one of its parts has changed, or if it is pending: each cell of a rule counts the parts,
/// so a change costs as much as the rules that have the part. A tracker that shares the states with a copy copies them
/// before a change.
///
/// In a fleet, one value serves all devices in turn. A cell is loaded when it is first needed for the present device
/// (``Tracker/loadRule(_:_:_:)``), so a device costs only the rules of parts that change; see ``DeviceRules``.
final class RuleStates: @unchecked Sendable {
  struct Cell {
    /// The state of the condition that the rules which have it as a part have counted.
    var counted: Event.State = .unknown
    /// That state before the present instant; `nil` if no change of the condition was counted in it.
    var start: Event.State?
    // The other members belong to a rule.
    var observed: Observed = .undetermined
    /// Whether the rule will be looked at although no part changes.
    var isPending = false
    /// Whether the rule is in ``RuleStates/listed``.
    var isListed = false
    /// Whether the last change of the rule has no evidence date, so that its repeats have none either.
    var isWithoutEvidence = false
    /// Whether the rule is looked at although no part changes.
    var isServed = false
    /// In a fleet: whether the rule has a part with a timing that the device has not seen.
    var isAhead = false
    /// The number of parts whose state differs from that before the instant.
    var changes: Int16 = 0
    var satisfied: UInt16 = 0
    var unknown: UInt16 = 0
    /// The index of the part's last change in ``RuleStates/marks``, or −1.
    var mark: Int32 = -1
    /// The index of the change of the part that decided, in ``RuleStates/marks``, or −1.
    var decider: Int32 = -1
    /// The index of the candidate in ``RuleStates/candidates``, or −1.
    var candidate: Int32 = -1
    /// In a fleet: the value of ``RuleStates/turn`` when the cell was loaded.
    var turn: UInt32 = 0
    /// In a fleet: the index of a loaded rule in ``RuleStates/loaded``, or −1.
    var place: Int32 = -1
  }

  /// The change of a part, with its evidence.
  struct Mark {
    var name: UInt32
    /// The evidence; ``EventEntry/decidedBy`` is the generation of the part.
    var evidence: EventEntry
    /// The time of the position that decided the change.
    var decided: Int64
  }

  /// A change of a rule that waits for its dwell.
  struct Candidate {
    var evidence: EventEntry
    var decided: Int64
    var start: Int64
    var deadline: Int64
  }

  /// The conditions up to a generation, and after the previous element, were added at a time.
  struct Addition {
    var through: UInt64
    var time: Int64
  }

  /// The marks of the evidence that the event of a rule has.
  static let keptMarks: EventEntry.Marks = [.onPath, .probability]

  var cells: ContiguousArray<Cell> = []
  /// The changes of parts in the present instant, in their order.
  var marks: ContiguousArray<Mark> = []
  /// The number of marks that the rules have counted.
  var absorbed = 0
  /// The time of the first of these changes, or of the start of a rule; `Int64.min` if it is not known.
  var instant: Int64 = .min
  /// The names of the rules to look at. A rule that was removed stays here until the next look, without the mark in its
  /// cell.
  var listed: ContiguousArray<UInt32> = []
  /// The names of the rules that may be pending; those that are, are marked in their cells.
  var pending: ContiguousArray<UInt32> = []
  /// The names of the rules whose candidates may be due.
  var due: ContiguousArray<UInt32> = []
  /// The slots of the rules that may have to repeat.
  var repeats: ContiguousArray<UInt32> = []
  /// Whether the owner has made sure that no copy shares the states, and still changes them.
  var isBusy = false
  private(set) var candidates: ContiguousArray<Candidate> = []
  private var free: ContiguousArray<Int32> = []

  // The other members belong to a fleet.
  /// A number of the present device among those that were loaded; 0 in a monitor.
  private(set) var turn: UInt32 = 0
  /// The records of the device; see ``DeviceRules``.
  private(set) var records: ContiguousArray<RuleRecord> = []
  /// The rules up to this generation have been looked at.
  private(set) var seen: UInt64 = 0
  /// The shapes up to this generation had been determined before.
  private(set) var shapesSeen: UInt64 = 0
  /// The rules that were loaded. ``RuleRecord/observed`` and ``RuleRecord/candidate`` are in the cells.
  var loaded: ContiguousArray<RuleRecord> = []
  /// Whether all pending rules were looked at.
  var isServed = false
  /// While the instant lasts at which a fix settled all shapes without an entry as outside: the generation after which
  /// shapes were undetermined before.
  var sweptFrom: UInt64?
  /// The edges up to these times had passed before the present instant, and pass in it.
  var edges: (before: Int64, now: Int64) = (.min, .min)
  /// The time of the last fix before the present instant, and the shapes that fixes had determined.
  var settled: (lastFix: Int64, through: UInt64) = (.min, 0)

  /// The times at which rules were added, for a device with a change that was due before it was added. Rules that were
  /// added later do not look at the change.
  var additions: [Addition] = []

  init() {}

  init(copying other: RuleStates) {
    cells = other.cells
    marks = other.marks
    absorbed = other.absorbed
    instant = other.instant
    listed = other.listed
    pending = other.pending
    due = other.due
    repeats = other.repeats
    candidates = other.candidates
    free = other.free
    turn = other.turn
    records = other.records
    seen = other.seen
    shapesSeen = other.shapesSeen
    loaded = other.loaded
    isServed = other.isServed
    sweptFrom = other.sweptFrom
    additions = other.additions
    edges = other.edges
    settled = other.settled
  }

  /// Whether a rule was added after an instant.
  @inline(never) @_optimize(size)
  func isAdded(_ generation: UInt64, after now: Int64) -> Bool {
    guard generation > seen, let addition = additions.first(where: { $0.through >= generation }) else { return false }
    return addition.time >= now
  }

  // MARK: - Devices of a fleet

  /// Starts with another device.
  ///
  /// - Parameter shapes: See ``DeviceLine/seen``.
  func begin(_ rules: DeviceRules, shapes: UInt64) {
    if turn == .max {
      cells.removeAll()
      turn = 0
    }
    turn += 1
    records = rules.records
    seen = rules.seen(shapes: shapes)
    shapesSeen = shapes
    marks.clear()
    absorbed = 0
    instant = .min
    listed.clear()
    pending.clear()
    due.clear()
    repeats.clear()
    candidates.clear()
    free.clear()
    loaded.clear()
    isServed = false
    sweptFrom = nil
  }

  /// Whether the states of one device after another are loaded.
  @inline(__always)
  var takesTurns: Bool { turn != 0 }

  @inline(__always)
  func isLoaded(_ name: UInt32) -> Bool { cells[Int(name)].turn == turn }

  /// Notes the state that rules had counted of a rule with a timing; see ``RuleRecord/counted``.
  func note(_ slot: UInt32, counted: Event.State, isWithoutEvidence: Bool) {
    guard let index = records.record(of: slot) else { return }
    records[index].counted = counted
    records[index].isWithoutEvidence = isWithoutEvidence
  }

  /// The record of a rule of the device.
  func record(of slot: UInt32) -> RuleRecord? { records.record(of: slot).map { records[$0] } }

  /// The time of the changes and starts that rules have not looked at; `Int64.max` without any.
  var changeTime: Int64 { instant == .min ? .max : instant }

  func makeRoom(_ count: Int) {
    while cells.count < count { cells.append(Cell()) }
  }

  /// Adds a rule to those that are looked at.
  func list(_ name: UInt32) {
    guard !cells[Int(name)].isListed else { return }
    cells[Int(name)].isListed = true
    listed.append(name)
  }

  func setPending(_ name: UInt32) {
    guard !cells[Int(name)].isPending else { return }
    cells[Int(name)].isPending = true
    if pending.count > 2 * cells.count {
      pending.clear()
      for name in cells.indices where cells[name].isPending { pending.append(UInt32(name)) }
    } else {
      pending.append(name)
    }
  }

  /// Adds the pending rules to those that are looked at.
  @_optimize(size)
  func servePending() {
    for name in pending where cells[Int(name)].isPending {
      cells[Int(name)].isServed = true
      list(name)
    }
    pending.clear()
  }

  /// Counts the states of the parts of a rule.
  @_optimize(size)
  func countParts(of name: UInt32, _ rules: RuleBook) {
    var satisfied: UInt16 = 0
    var unknown: UInt16 = 0
    for index in 0..<rules.partCount(of: name) {
      switch cells[Int(rules.part(index, of: name))].counted {
      case .satisfied: satisfied += 1
      case .unknown: unknown += 1
      default: break
      }
    }
    cells[Int(name)].satisfied = satisfied
    cells[Int(name)].unknown = unknown
  }

  func candidate(of name: UInt32) -> Candidate? {
    let index = cells[Int(name)].candidate
    return index < 0 ? nil : candidates[Int(index)]
  }

  func open(_ candidate: Candidate, _ name: UInt32) {
    if let index = free.popLast() {
      candidates[Int(index)] = candidate
      cells[Int(name)].candidate = index
    } else {
      cells[Int(name)].candidate = Int32(candidates.count)
      candidates.append(candidate)
    }
  }

  /// - Returns: Whether the rule had a candidate.
  func closeCandidate(_ name: UInt32) -> Bool {
    let index = cells[Int(name)].candidate
    guard index >= 0 else { return false }
    free.append(index)
    cells[Int(name)].candidate = -1
    return true
  }

  /// Notes that all rules have been looked at.
  func endRound() {
    for mark in marks { cells[Int(mark.name)].start = nil }
  }

  /// Forgets the changes of the instant that has ended.
  func endInstant() {
    for mark in marks {
      cells[Int(mark.name)].mark = -1
      cells[Int(mark.name)].start = nil
    }
    marks.clear()
    absorbed = 0
    instant = .min
    sweptFrom = nil
  }
}
