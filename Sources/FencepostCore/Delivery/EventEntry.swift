/// An event as the engine keeps it: numbers only; the identifier, tag and UUID are those of the condition.
///
/// An entry belongs to one generation of a condition. When the condition was removed or replaced meanwhile the
/// entry is void.
package struct EventEntry: Sendable {
  /// Given at the first hand-out.
  package var sequence: UInt64 = 0
  /// Place in the order in which observed changes happened.
  package var change: UInt64 = 0
  package var generation: UInt64
  /// Microseconds; `Int64.min` = unset.
  package var date: Int64
  package var evidenceDate: Int64 = .min
  package var latitude: Double = .nan
  package var longitude: Double = .nan
  package var accuracy: Double = .nan
  package var boundaryDistance: Double = .nan
  package var slot: UInt32
  package var diagnostics: Diagnostics = []
  package var refinementMajor: UInt16 = 0
  package var refinementMinor: UInt16 = 0
  package var marks: Marks = []
  package var state: Event.State
  package var cause: Event.Cause
  /// Which bit of the policy decides whether it becomes an event; empty for diagnostics, which always do.
  package var notify: TransitionPolicy.Notify = []

  init(slot: UInt32, generation: UInt64, state: Event.State, cause: Event.Cause, date: Timestamp?) {
    self.slot = slot
    self.generation = generation
    self.state = state
    self.cause = cause
    self.date = date?.microseconds ?? .min
  }

  /// What an entry says beside its numbers.
  package struct Marks: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It names a beacon.
    package static let refinement = Marks(rawValue: 1 << 0)
    /// The line was crossed from its left to its right, as seen along it.
    package static let leftToRight = Marks(rawValue: 1 << 4)
    /// The line was crossed from its right to its left.
    package static let rightToLeft = Marks(rawValue: 1 << 5)
    /// What the crossing of a line has one of.
    package static let directions: Marks = [.leftToRight, .rightToLeft]
    /// Its evidence is a point of the path between two fixes.
    package static let onPath = Marks(rawValue: 1 << 6)
    /// The path before it is not known.
    package static let gap = Marks(rawValue: 1 << 7)
  }

  package var hasRefinement: Bool {
    get { marks.contains(.refinement) }
    set { if newValue { marks.insert(.refinement) } else { marks.remove(.refinement) } }
  }

  /// How a line was crossed; `nil` of what is no crossing of a line.
  var direction: CrossingDirection? {
    marks.contains(.leftToRight) ? .leftToRight : marks.contains(.rightToLeft) ? .rightToLeft : nil
  }

  mutating func setRefinement(_ beacon: BeaconIdentityCondition?) {
    hasRefinement = beacon != nil
    refinementMajor = beacon?.major ?? 0
    refinementMinor = beacon?.minor ?? 0
  }
}
