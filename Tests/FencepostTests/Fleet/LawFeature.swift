/// A feature of monitors. Each feature is used in some of the random sequences of calls in ``LawTests``, and is not
/// used in the others.
///
/// For every combination of the features that are not ``missing``, a fleet of n devices gives the events of n monitors.
/// When fleets get a missing feature, move its case to the cases that monitors and fleets share, and add calls that use
/// the feature to the random sequences.
enum LawFeature: String, CaseIterable {
  // Features of both monitors and fleets.
  case beacons, scanning
  /// Conditions with an assumed state other than unsatisfied.
  case assumptions
  /// Policies with margins and dwells, and policies that select which changes of state become events.
  case policies
  /// A dwell policy with which a fix ends the dwell, instead of a deadline.
  case evidence
  /// Policies with probabilities.
  case probability
  /// Fixes with error ellipses.
  case ellipses
  /// Conditions with a band of altitudes, and fixes with heights.
  case heights
  /// Fixes that the device cannot have reached are doubted.
  case plausibility
  /// Of the changes of one instant, those to unsatisfied are reported first.
  case exitsFirst
  case polygons
  /// Fixes that are too inaccurate to decide a state.
  case coarseFixes
  /// Fixes that are refused because they have no position, are out of range, or are late.
  case refusedInputs
  /// Conditions are removed and replaced between other calls.
  case tableChanges
  case advance
  case deviceAdvance
  case rewind
  case batches
  case maxTimeStep
  /// Devices are removed, are added, and expire.
  case removal
  /// The consumer of the events disconnects, and later connects again.
  case abandon
  /// The fleet is closed, and is then opened from its storage or restored from a snapshot.
  case restart
  /// Devices are exported from one fleet and imported by another.
  case export
  /// The monitor follows the path between two fixes, not only the fixes.
  case path
  /// Line conditions: a path that crosses the line gives an event.
  case gates
  case safeDistance, plan
  /// Each random sequence of calls uses at most one of these deliveries.
  case first, latest

  /// The fleet is replaced by its fork.
  case fork
  /// Hosts state that conditions are suspended, or that kinds of conditions cannot be monitored.
  case hostCapabilities
  /// Conditions with schedules, absences, repeats, and a largest number of events. A fleet with them has neither a path nor
  /// another delivery than `every`, and no host capabilities.
  case timings

  /// The features that a random sequence of calls with timings does not use.
  static let withoutTimings: Set<LawFeature> = [.path, .gates, .first, .latest, .hostCapabilities]

  /// Rules of several conditions. A fleet with them has delivery `every` and no host capabilities. Sequences of calls
  /// with rules and timings are separate.
  case rules

  /// The features that a random sequence of calls with rules does not use.
  static let withoutRules: Set<LawFeature> = [.first, .latest, .hostCapabilities, .timings]

  // Features that fleets do not have yet, and `records`, which fleets will never have.
  case conditionLimit, records

  // Exceptions to the rule that a fleet gives the events of one monitor for each device: fleets will never get these
  // features.
  case lookBack

  enum Missing {
    /// Fleets will get this feature later.
    case notYet
    /// Fleets will never get this feature. It is an exception to the rule that a fleet gives the events of one monitor
    /// for each device.
    case exception
  }

  var missing: Missing? {
    switch self {
    case .beacons, .scanning, .assumptions, .policies, .evidence, .probability, .ellipses, .heights, .plausibility,
      .exitsFirst,
      .polygons,
      .coarseFixes, .refusedInputs,
      .tableChanges,
      .advance, .deviceAdvance, .rewind, .batches, .maxTimeStep, .removal, .abandon, .restart, .export, .path, .gates,
      .safeDistance, .plan, .first, .latest, .fork, .hostCapabilities, .timings, .rules:
      nil
    case .conditionLimit: .notYet
    case .records, .lookBack: .exception
    }
  }

  static let ofBoth = allCases.filter { $0.missing == nil }
}
