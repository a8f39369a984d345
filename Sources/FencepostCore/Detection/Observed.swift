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
