/// What the detectors of one device believe of a condition.
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

/// The state of one condition that every condition has; what only some have is kept beside it.
struct SlotState: Sendable, Equatable {
  /// Index in ``ActiveCircles``, or ``none``.
  var active: UInt32 = SlotState.none
  /// Index in ``RecordTable``, or ``none`` while the first record stands.
  var record: UInt32 = SlotState.none
  /// Events of it that wait to be handed out.
  var waiting: UInt32 = 0
  var observed: Observed = .undetermined
  /// State of the last event queued (delivery `every`) or handled (the others).
  var noted: Event.State = .unknown
  /// Listed among the undetermined circles.
  var isListed = false
  /// Near the fix that is being applied to the undetermined circles.
  var isNear = false
  /// A fix was evaluated since the circle became undetermined, and was too coarse to decide it.
  var hasMetCoarseFix = false
  /// Noted in the journal.
  var isTouched = false
  /// Diagnostics of the last event queued or handled.
  var notedFlags: UInt16 = 0
  /// Date of the first record, microseconds; `Int64.min` = unset.
  var added: Int64 = .min

  static let none = UInt32.max
}

/// A crossing in the making: a decisive fix was on the other side, and none since spoke against it.
struct Candidate: Sendable {
  /// The fix that opened it.
  var fix: Fix
  /// Its signed boundary distance, metres.
  var boundaryDistance: Double
  /// When the dwell has passed, microseconds.
  var deadline: Int64
  /// Confirmed by the deadline itself; else by the first fix on the new side from then on.
  var isTimed: Bool
}

/// What is known of the beacons of a condition.
struct BeaconTrack: Sendable {
  /// Time of the last matching sighting, microseconds; `Int64.min` = none.
  var lastSighting: Int64 = .min
  /// When absence is established, microseconds; `Int64.max` = it is not being counted.
  var deadline: Int64 = .max
  /// Refinement of the last event queued or handled.
  var noted: BeaconIdentityCondition?
}
