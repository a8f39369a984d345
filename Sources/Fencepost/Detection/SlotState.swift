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

/// What the detectors know of one condition; what only some have is kept beside it.
struct SlotState: SharedSlot, Equatable {
  /// Index in ``Watches``, or ``none``.
  var active: UInt32 = SlotState.none
  var observed: Observed = .undetermined
  /// Listed among the undetermined circles.
  var isListed = false
  /// Near the fix that is being applied to the undetermined circles.
  var isNear = false
  /// A fix was evaluated since the circle became undetermined, and was too coarse to decide it.
  var hasMetCoarseFix = false

  static let none = UInt32.max

  /// Settled outside, where it waited for a fix that decides it.
  var swept: SlotState {
    guard isListed else { return self }
    var state = self
    state.isListed = false
    state.observed = .outside
    return state
  }
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
struct BeaconTrack: Sendable, Equatable {
  /// Time of the last matching sighting, microseconds; `Int64.min` = none.
  var lastSighting: Int64 = .min
  /// When absence is established, microseconds; `Int64.max` = it is not being counted.
  var deadline: Int64 = .max
}
