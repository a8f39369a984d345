import CFencepost
import FencepostCore
import FencepostStoreCore

// Reads `fencepost_options`, and creates or opens the monitor or the fleet that they describe.

/// The options of a monitor or a fleet, read from C.
struct CreateOptions {
  /// The values of the C structure; a member that the caller's structure does not have has its default.
  private let value: fencepost_options
  /// The options that monitors and fleets share, and the condition limit and the age of the first fix.
  private(set) var engine: MonitorOptions
  private let durability: Durability
  /// The store's directory, and the name in it; `nil` = in memory.
  private let store: (directory: String, name: String)?

  /// Reads the options. `NULL` gives the defaults.
  ///
  /// - Parameters:
  ///   - defaults: The engine's defaults: those of a monitor or those of a fleet.
  ///   - name: The name that the caller gave in place of `options.name`.
  init(
    _ options: UnsafePointer<fencepost_options>?, defaults: MonitorOptions, name: UnsafePointer<CChar>? = nil
  ) throws(BoundaryError) {
    engine = defaults
    var read = fencepost_options(
      struct_size: 0, delivery: 0, conditions: nil, name: nil, store_directory: nil, durability: 0, path: 0,
      checkpoint_interval_us: 60_000_000, max_gap_us: 0, max_speed_mps: 0,
      max_pending_events: UInt64(engine.maxPendingEvents), max_time_step_us: 0,
      initial_fix_max_age_us: engine.initialFixMaxAgeMicroseconds,
      beacon_exit_timeout_us: engine.beaconExitTimeoutMicroseconds,
      beacon_initial_timeout_us: engine.beaconInitialTimeoutMicroseconds, condition_limit: 0, device_limit: 0,
      plausible_speed_mps: 0, corroboration_time_us: Plausibility.defaultTimeMicroseconds,
      corroboration_count: UInt32(Plausibility.defaultCount), order: 0,
      accuracy_confidence: engine.accuracyConfidence)
    if let options { read = try SizedStruct.read(options, defaults: read, "options") }
    value = read
    engine.delivery = try MonitorOptions.Delivery(read.delivery)
    engine.conditionLimit = read.condition_limit == 0 ? nil : Int(clamping: read.condition_limit)
    engine.maxPendingEvents = Int(clamping: read.max_pending_events)
    engine.initialFixMaxAgeMicroseconds = read.initial_fix_max_age_us
    engine.beaconExitTimeoutMicroseconds = read.beacon_exit_timeout_us
    engine.beaconInitialTimeoutMicroseconds = read.beacon_initial_timeout_us
    engine.maxTimeStepMicroseconds = read.max_time_step_us == 0 ? nil : read.max_time_step_us
    engine.path = try MonitorOptions.Path(read.path, maxGap: read.max_gap_us, maxSpeed: read.max_speed_mps)
    engine.plausibility = try Plausibility?(read)
    engine.accuracyConfidence = read.accuracy_confidence
    engine.order = try MonitorOptions.Order(read.order)
    durability = try Durability(read.durability, interval: read.checkpoint_interval_us)
    store = try Self.store(read, name)
  }

  /// Creates or opens a monitor.
  ///
  /// - Parameter name: The monitor's name; `nil`: `options.name`.
  @_optimize(size)
  static func openMonitor(
    _ options: UnsafePointer<fencepost_options>?, name: UnsafePointer<CChar>?
  ) throws(BoundaryError) -> StoredEngine {
    let read = try CreateOptions(options, defaults: MonitorOptions(), name: name)
    guard read.value.conditions == nil else {
      throw .invalidArgument(
        "conditions is set; must be NULL for a monitor, which creates its own table; create a fleet to use a "
          + "table that exists")
    }
    guard read.value.device_limit == 0 else {
      throw .invalidArgument(
        "device_limit is \(read.value.device_limit); must be 0 for a monitor, which follows one device")
    }
    let engine = read.engine
    guard let store = read.store else {
      let name = try name.map(text)
      return StoredEngine(
        try refusedByEngine { () throws(MonitorError) in try MonitorEngine(name: name, options: engine) })
    }
    return try refusedByEngine { () throws(MonitorError) in
      try withoutCancellation { () throws(MonitorError) in
        try StoredEngine(
          name: store.name, options: engine,
          storage: StoredEngine.storage(store.name, engine, store.directory, read.durability),
          durability: read.durability)
      }
    }
  }

  /// Creates or opens a fleet.
  @_optimize(size)
  static func openFleet(_ options: UnsafePointer<fencepost_options>?) throws(BoundaryError) -> StoredFleet {
    let read = try CreateOptions(options, defaults: FleetOptions().monitorOptions)
    let engine = read.engine
    guard engine.initialFixMaxAgeMicroseconds == -1 else {
      throw .invalidArgument(
        "initial_fix_max_age_us is \(engine.initialFixMaxAgeMicroseconds); must be -1 for a fleet, where an "
          + "earlier fix never decides a new condition; initialise the options with FENCEPOST_FLEET_OPTIONS_INIT")
    }
    guard read.value.condition_limit == 0 else {
      throw .invalidArgument(
        "condition_limit is \(read.value.condition_limit); must be 0 for a fleet, which monitors all "
          + "conditions of its table")
    }
    let conditions =
      read.value.conditions == nil
      ? Conditions()
      : try ConditionsHandle.borrow(read.value.conditions).requireShared("a fleet cannot share the table of a monitor")
    let limit = read.value.device_limit
    let fleet = FleetOptions(
      delivery: engine.delivery, maxPendingEvents: engine.maxPendingEvents,
      deviceLimit: limit == 0 ? FleetOptions.mostDevices : Int(clamping: limit),
      beaconExitTimeoutMicroseconds: engine.beaconExitTimeoutMicroseconds,
      beaconInitialTimeoutMicroseconds: engine.beaconInitialTimeoutMicroseconds,
      maxTimeStepMicroseconds: engine.maxTimeStepMicroseconds, path: engine.path, plausibility: engine.plausibility,
      accuracyConfidence: engine.accuracyConfidence, order: engine.order)
    return try refusedByEngine { () throws(MonitorError) in
      guard let store = read.store else { return StoredFleet(try FleetEngine(conditions, options: fleet)) }
      return try withoutCancellation { () throws(MonitorError) in
        try StoredFleet(
          name: store.name, conditions, options: fleet, directory: store.directory, durability: read.durability)
      }
    }
  }

  /// The store's directory and name. Refuses one without the other, because the caller would believe that a store
  /// exists.
  private static func store(
    _ options: fencepost_options, _ name: UnsafePointer<CChar>?
  ) throws(BoundaryError) -> (directory: String, name: String)? {
    guard name == nil || options.name == nil else {
      throw .invalidArgument("name and options.name are both set; set one of them, and pass NULL for the other")
    }
    guard let path = options.store_directory else {
      guard let unused = options.name else { return nil }
      throw .invalidArgument(
        "name is \"\(try text(unused))\" and store_directory is NULL; set both for a store, or set both to NULL")
    }
    guard let directory = String(validatingCString: path), !directory.isEmpty else {
      throw .invalidArgument("store_directory is empty or not valid UTF-8; must be the path of a directory")
    }
    guard let name = name ?? options.name else {
      throw .invalidArgument(
        "store_directory is set and name is NULL; a store needs a name that matches [A-Za-z0-9_]{1,64}")
    }
    return (directory, try text(name))
  }

  /// The text of a name from C.
  private static func text(_ name: UnsafePointer<CChar>) throws(BoundaryError) -> String {
    let bytes = Boundary.identifier(name)
    guard let valid = String(validating: bytes, as: UTF8.self) else {
      throw .monitor(.invalidName(String(decoding: bytes, as: UTF8.self)))
    }
    return valid
  }
}

extension Plausibility? {
  /// The limit of the speed; `nil` if the speed is 0. The other two values must be in range even then.
  fileprivate init(_ options: fencepost_options) throws(BoundaryError) {
    let isOff = options.plausible_speed_mps == 0
    let plausibility = Plausibility(
      speed: isOff ? 1 : options.plausible_speed_mps, corroborationCount: Int(options.corroboration_count),
      corroborationTimeMicroseconds: options.corroboration_time_us)
    if let defect = plausibility.defect { throw .invalidArgument(defect) }
    self = isOff ? nil : plausibility
  }
}

extension MonitorOptions.Delivery {
  init(_ number: fencepost_delivery) throws(BoundaryError) {
    guard let delivery = UInt8(exactly: number).flatMap(Self.init(rawValue:)) else {
      throw .invalidArgument("delivery is \(number); must be 0 (every), 1 (first) or 2 (latest)")
    }
    self = delivery
  }
}

extension MonitorOptions.Order {
  fileprivate init(_ number: fencepost_order) throws(BoundaryError) {
    guard let order = UInt8(exactly: number).flatMap(Self.init(rawValue:)) else {
      throw .invalidArgument("order is \(number); must be 0 (add) or 1 (exits_first)")
    }
    self = order
  }
}

extension Durability {
  init(_ number: fencepost_durability, interval: Int64) throws(BoundaryError) {
    switch Int(number) {
    case FENCEPOST_DURABILITY_CHANGES: self = .changes
    case FENCEPOST_DURABILITY_EVERY_INPUT: self = .everyInput
    case FENCEPOST_DURABILITY_RELAXED: self = .relaxed(interval: interval)
    default:
      throw .invalidArgument("durability is \(number); must be 0 (changes), 1 (every_input) or 2 (relaxed)")
    }
  }
}
