/// A feature of monitors. In each life (a random sequence of calls of ``LawTests``), the feature is on or off.
///
/// A fleet of n devices gives the events of n monitors for every combination of the features that are not ``missing``.
/// When fleets get a missing feature, move that feature to the features that monitors and fleets share, and add its
/// steps to the random calls.
enum LawFeature: String, CaseIterable {
  // Features of both monitors and fleets.
  case beacons, scanning
  /// Conditions that are not assumed to be unsatisfied.
  case assumptions
  /// Margins, dwells, and the states that are reported.
  case policies
  /// A dwell that ends with a fix instead of a deadline.
  case evidence
  case polygons
  /// Fixes whose accuracy is too coarse to decide.
  case coarseFixes
  /// Fixes that have no position, are out of range, or are late.
  case refusedInputs
  /// Conditions that are removed and replaced during the calls.
  case tableChanges
  case advance
  case deviceAdvance
  case rewind
  case batches
  case maxTimeStep
  /// Devices are removed, are added, and expire.
  case removal
  /// The consumer disconnects and returns.
  case abandon
  /// The fleet is closed and opened again, from a storage or a snapshot.
  case restart
  /// Devices are exported from one fleet and imported by another.
  case export
  /// The monitor follows the path between two fixes, not only the fixes.
  case path
  /// Line conditions, which a path crosses.
  case gates
  case safeDistance, plan

  // Features that fleets do not have yet.
  case conditionLimit, first, latest, hostCapabilities, fork, records

  // Exceptions to the rule that a fleet gives the events of one monitor for each device: fleets will never get these
  // features.
  case lookBack

  enum Missing {
    /// Fleets will get this feature later.
    case notYet
    /// Fleets will never get this feature: it is an exception to the law of fleets.
    case exception
  }

  var missing: Missing? {
    switch self {
    case .beacons, .scanning, .assumptions, .policies, .evidence, .polygons, .coarseFixes, .refusedInputs,
      .tableChanges,
      .advance, .deviceAdvance, .rewind, .batches, .maxTimeStep, .removal, .abandon, .restart, .export, .path, .gates,
      .safeDistance, .plan:
      nil
    case .conditionLimit, .first, .latest, .hostCapabilities, .fork: .notYet
    case .records, .lookBack: .exception
    }
  }

  static let ofBoth = allCases.filter { $0.missing == nil }
}
