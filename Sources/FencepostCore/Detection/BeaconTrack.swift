/// What is known of the beacons of a condition.
struct BeaconTrack: Sendable {
  var observed: Observed = .undetermined
  /// Time of the last matching sighting, microseconds; `Int64.min` = none.
  var lastSighting: Int64 = .min
  /// When absence is established, microseconds; `Int64.max` = it is not being counted.
  var deadline: Int64 = .max

  /// Whether there is nothing to keep of it beside what is observed.
  var isBlank: Bool { lastSighting == .min && deadline == .max }
}
