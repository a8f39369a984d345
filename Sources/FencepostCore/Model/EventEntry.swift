/// An event as the engine stores it. It contains only numbers; the identifier, tag and UUID are stored with the
/// condition.
///
/// An entry belongs to one generation of a condition. If the condition is removed or replaced, the entry becomes void.
package struct EventEntry: Sendable {
  /// The sequence number, which is assigned at the first delivery of the event.
  package var sequence: UInt64 = 0
  /// The number of the observed change that caused the event; changes are numbered in the order in which they happened.
  package var change: UInt64 = 0
  package var generation: UInt64
  /// The date in microseconds; `Int64.min` for an event without a date.
  package var date: Int64
  package var evidenceDate: Int64 = .min
  package var latitude: Double = .nan
  package var longitude: Double = .nan
  package var accuracy: Double = .nan
  package var boundaryDistance: Double = .nan
  /// The signed distance of the evidence from the limits of the condition's band, in metres, negative within the band;
  /// NaN if it is not known, or if there is no band.
  package var verticalDistance: Double = .nan
  /// For a rule: the generation of the part that decided; 0 if no part decided.
  package var decidedBy: UInt64 = 0
  package var slot: UInt32
  package var diagnostics: Diagnostics = []
  package var refinementMajor: UInt16 = 0
  package var refinementMinor: UInt16 = 0
  package var marks: Marks = []
  package var state: Event.State
  package var cause: Event.Cause
  /// The bit of the policy that decides whether the entry becomes an event; empty for diagnostics, which always become
  /// events.
  package var notify: TransitionPolicy.Notify = []

  init(slot: UInt32, generation: UInt64, state: Event.State, cause: Event.Cause, date: Timestamp?) {
    self.slot = slot
    self.generation = generation
    self.state = state
    self.cause = cause
    self.date = date?.microseconds ?? .min
  }

  /// The properties of an entry that are not numbers.
  package struct Marks: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The entry names a beacon.
    package static let refinement = Marks(rawValue: 1 << 0)
    /// The entry is news even if its state equals the reported state.
    package static let news = Marks(rawValue: 1 << 1)
    /// The event is counted for ``ConditionTiming/maxEvents``.
    package static let counted = Marks(rawValue: 1 << 2)
    /// The line was crossed from left to right, as seen when looking along the line.
    package static let leftToRight = Marks(rawValue: 1 << 4)
    /// The line was crossed from right to left, as seen when looking along the line.
    package static let rightToLeft = Marks(rawValue: 1 << 5)
    /// The evidence has a ``EventEntry/probability``.
    package static let probability = Marks(rawValue: 1 << 3)
    /// The marks for directions. The crossing of a line has one of them.
    package static let directions: Marks = [.leftToRight, .rightToLeft]
    /// The evidence is a point of the path between two fixes.
    package static let onPath = Marks(rawValue: 1 << 6)
    /// The path before the event is unknown.
    package static let gap = Marks(rawValue: 1 << 7)
  }

  /// The probability of the evidence if it has an error ellipse and the policy has probabilities; otherwise NaN. The
  /// probability of other evidence follows from its accuracy. The number has single precision, in the place of the
  /// beacon, so that it needs no memory.
  package var probability: Float {
    get {
      marks.contains(.probability)
        ? Float(bitPattern: UInt32(refinementMajor) << 16 | UInt32(refinementMinor)) : .nan
    }
    set {
      if newValue.isNaN { return }
      marks.insert(.probability)
      refinementMajor = UInt16(newValue.bitPattern >> 16)
      refinementMinor = UInt16(truncatingIfNeeded: newValue.bitPattern)
    }
  }

  package var hasRefinement: Bool {
    get { marks.contains(.refinement) }
    set { if newValue { marks.insert(.refinement) } else { marks.remove(.refinement) } }
  }

  /// The direction in which a line was crossed; `nil` if the entry is not the crossing of a line.
  var direction: CrossingDirection? {
    marks.contains(.leftToRight) ? .leftToRight : marks.contains(.rightToLeft) ? .rightToLeft : nil
  }

  mutating func setRefinement(_ beacon: BeaconIdentityCondition?) {
    hasRefinement = beacon != nil
    refinementMajor = beacon?.major ?? 0
    refinementMinor = beacon?.minor ?? 0
  }
}

/// The beacon that was named by the last event of a beacon condition without a minor number.
struct BeaconRefinement: Sendable, Equatable {
  var major: UInt16
  var minor: UInt16
}

extension EventEntry {
  /// An event about flags. It has no evidence.
  init(_ flags: Diagnostics, slot: UInt32, generation: UInt64, state: Event.State, date: Int64) {
    self.init(
      slot: slot, generation: generation, state: flags.isDisjoint(with: .unmonitored) ? state : .unmonitored,
      cause: .diagnostic, date: nil)
    self.date = date
    diagnostics = flags
  }

  /// The beacon that the entry names.
  var beaconRefinement: BeaconRefinement? {
    hasRefinement ? BeaconRefinement(major: refinementMajor, minor: refinementMinor) : nil
  }

  mutating func setRefinement(_ beacon: BeaconRefinement?) {
    hasRefinement = beacon != nil
    refinementMajor = beacon?.major ?? 0
    refinementMinor = beacon?.minor ?? 0
  }
}
