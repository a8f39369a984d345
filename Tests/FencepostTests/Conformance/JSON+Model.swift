@testable import Fencepost
@testable import FencepostCore

/// Converts the values in a step of a scenario to the library's types.
extension JSON {
  struct Definition {
    var condition: any Condition
    var assuming = Event.State.unknown
    var policy = TransitionPolicy.standard
    var tag: UInt64 = 0
    var timing = ConditionTiming.none
    var band = AltitudeBand.none
  }

  func member(_ key: String) throws -> JSON {
    guard let value = self[key] else { throw Mismatch("\(key) is missing") }
    return value
  }

  func double() throws -> Double {
    guard let number else { throw Mismatch("not a number: \(self)") }
    return number
  }

  func list() throws -> [JSON] {
    guard let array else { throw Mismatch("not a list: \(self)") }
    return array
  }

  /// The time in microseconds; the scenario file contains seconds.
  func microseconds() throws -> Int64 {
    guard let value = Int64(exactly: (try double() * 1e6).rounded()) else {
      throw MonitorError.invalidArgument("a time that is no number")
    }
    return value
  }

  func time() throws -> Timestamp { Timestamp(microseconds: try microseconds()) }

  /// The value with the given name; throws an invalid-argument error if the name is unknown.
  func oneOf<Value>(_ names: [String: Value]) throws -> Value {
    guard let string, let value = names[string] else { throw MonitorError.invalidArgument("\(self)") }
    return value
  }

  static let movementOptions: Set = [
    "path", "max_gap", "max_speed", "plausible_speed", "corroboration_count", "corroboration_time",
  ]

  /// The `path` option of a scenario: how the device is assumed to move between fixes.
  func path() throws -> MonitorOptions.Path {
    guard try self["path"]?.oneOf(["fixes": false, "geodesic": true]) ?? false else { return .fixes }
    let speed = self["max_speed"].flatMap { $0 == .null ? nil : $0 }
    return .geodesic(maxGapMicroseconds: try member("max_gap").microseconds(), maxSpeed: try speed?.double())
  }

  /// The `plausible_speed` option of a scenario, with its companions.
  func plausibility() throws -> Plausibility? {
    guard let speed = self["plausible_speed"], speed != .null else { return nil }
    var plausibility = Plausibility(speed: try speed.double())
    if let count = self["corroboration_count"] { plausibility.corroborationCount = Int(try count.double()) }
    if let time = self["corroboration_time"] { plausibility.corroborationTimeMicroseconds = try time.microseconds() }
    return plausibility
  }

  /// A list of kinds of conditions.
  func kinds() throws -> Set<ConditionKind> {
    Set(
      try list().map {
        try $0.oneOf([
          "circle": .circularGeographic, "beacon": .beaconIdentity, "polygon": .polygonalGeographic,
          "corridor": .corridorGeographic, "line": .lineGeographic,
        ])
      })
  }

  func diagnostics() throws -> Diagnostics {
    var flags: Diagnostics = []
    for name in try list() {
      guard let bit = Diagnostics.names.firstIndex(where: { "\($0)" == name.string }) else {
        throw MonitorError.invalidArgument("\(name)")
      }
      flags.insert(Diagnostics(rawValue: 1 << UInt32(bit)))
    }
    return flags
  }

  func sighting() throws -> BeaconSighting {
    guard let uuid = BeaconUUID(try member("uuid").string ?? "") else { throw MonitorError.invalidArgument("uuid") }
    return BeaconSighting(
      uuid: uuid, major: try member("major").component(), minor: try member("minor").component(),
      rssi: try self["rssi"].map { Int32(try $0.double()) } ?? .min)
  }

  private func component() throws -> UInt16 {
    guard let value = UInt16(exactly: try double()) else { throw MonitorError.invalidArgument("\(self)") }
    return value
  }

  func definition() throws -> Definition {
    var definition: Definition
    if let circle = self["circle"] {
      definition = Definition(
        condition: CircularGeographicCondition(
          center: Coordinate(
            latitude: try circle.member("latitude").double(), longitude: try circle.member("longitude").double()),
          radius: try circle.member("radius").double()))
    } else if let polygon = self["polygon"] {
      definition = Definition(condition: try ScenarioShape(polygon, isPolygon: true).condition)
    } else if let corridor = self["corridor"] {
      definition = Definition(condition: try ScenarioShape(corridor, isPolygon: false).condition)
    } else if let line = self["line"] {
      definition = Definition(condition: try ScenarioShape(line, isPolygon: false, isLine: true).condition)
    } else if let rule = self["rule"] {
      definition = Definition(condition: try rule.rule())
    } else {
      let beacon = try member("beacon")
      guard let uuid = BeaconUUID(try beacon.member("uuid").string ?? "") else {
        throw MonitorError.invalidArgument("uuid")
      }
      switch (try beacon["major"]?.component(), try beacon["minor"]?.component()) {
      case (nil, nil): definition = Definition(condition: BeaconIdentityCondition(uuid: uuid))
      case (let major?, nil): definition = Definition(condition: BeaconIdentityCondition(uuid: uuid, major: major))
      case (let major?, let minor?):
        definition = Definition(condition: BeaconIdentityCondition(uuid: uuid, major: major, minor: minor))
      case (nil, _): throw MonitorError.invalidArgument("minor without major")
      }
    }
    if let assuming = self["assuming"] {
      definition.assuming = try assuming.oneOf(
        ["unknown": .unknown, "satisfied": .satisfied, "unsatisfied": .unsatisfied, "unmonitored": .unmonitored])
    }
    if let policy = self["policy"] { definition.policy = try policy.policy() }
    if let tag = self["tag"] { definition.tag = UInt64(try tag.double()) }
    definition.timing = try timing()
    if let band = self["band"] { definition.band = try band.band() }
    return definition
  }

  /// The rule of a condition.
  private func rule() throws -> Rule {
    func names(_ list: JSON) throws -> [String] {
      try list.list().map { name in
        guard let text = name.string else { throw MonitorError.invalidArgument("\(name)") }
        return text
      }
    }
    if let count = self["at_least"] { return .atLeast(Int(try count.double()), of: try names(member("of"))) }
    if let parts = self["all"] { return .all(try names(parts)) }
    if let parts = self["any"] { return .any(try names(parts)) }
    return .none(try names(member("none")))
  }

  /// A number, or the text of one that JSON cannot express.
  func extended() throws -> Double {
    guard let string else { return try double() }
    return try JSON.string(string).oneOf(["nan": .nan, "inf": .infinity, "-inf": -.infinity])
  }

  /// The band of a condition. Throws for a band without limits, which means in Swift that there is no band.
  private func band() throws -> AltitudeBand {
    let references: [String: AltitudeBand.Reference] = [
      "ellipsoid": .ellipsoid, "mean_sea_level": .meanSeaLevel, "ground": .ground,
    ]
    let band = AltitudeBand(
      min: try self["min"]?.extended() ?? -.infinity, max: try self["max"]?.extended() ?? .infinity,
      minReference: try self["min_reference"]?.oneOf(references) ?? .ellipsoid,
      maxReference: try self["max_reference"]?.oneOf(references) ?? .ellipsoid)
    guard band != .none else { throw MonitorError.invalidArgument("a band without limits") }
    return band
  }

  /// The height of a fix or of a question; `nil` without one.
  func height() throws -> FixHeight? {
    guard self["altitude"] != nil || self["geoid_height"] != nil || self["ground_height"] != nil else { return nil }
    return FixHeight(
      altitude: try self["altitude"]?.extended() ?? .nan,
      verticalAccuracy: try self["vertical_accuracy"]?.extended() ?? 0,
      geoidHeight: try self["geoid_height"]?.extended() ?? .nan,
      groundHeight: try self["ground_height"]?.extended() ?? .nan)
  }

  /// The six keys of a timing.
  private func timing() throws -> ConditionTiming {
    var timing = ConditionTiming()
    if let active = self["active"] {
      let intervals = try active.list().map { pair in
        let ends = try pair.list()
        return (start: try ends[0].time(), end: try ends[1].time())
      }
      timing.schedule = try Schedule(intervals, until: try self["active_until"]?.time())
    } else if self["active_until"] != nil {
      throw MonitorError.invalidArgument("active_until needs active")
    }
    if let absence = self["absent_after"] { timing.absentAfterMicroseconds = try absence.positive() }
    if let every = self["repeat_every"] { timing.repeatEveryMicroseconds = try every.positive() }
    if let limit = self["repeat_limit"] { timing.repeatLimit = try limit.count() }
    if let most = self["max_events"] { timing.maxEvents = try most.count() }
    return timing
  }

  /// A positive time in microseconds. Throws for 0, which means in Swift that the option is not set.
  private func positive() throws -> Int64 {
    let value = try microseconds()
    guard value != 0 else { throw MonitorError.invalidArgument("0 seconds") }
    return value
  }

  private func count() throws -> UInt32 {
    guard let value = UInt32(exactly: try double()), value > 0 else { throw MonitorError.invalidArgument("\(self)") }
    return value
  }

  private func policy() throws -> TransitionPolicy {
    guard let object else {
      return try oneOf(["standard": .standard, "exact": .exact, "core_location": .coreLocation])
    }
    var policy = TransitionPolicy.standard
    for (key, value) in object {
      switch key {
      case "entry_dwell": policy.entryDwellMicroseconds = try value.microseconds()
      case "exit_dwell": policy.exitDwellMicroseconds = try value.microseconds()
      case "entry_margin": policy.entryMargin = try value.double()
      case "exit_margin": policy.exitMargin = try value.double()
      case "exit_margin_limit": policy.exitMarginLimit = try value.double()
      case "accuracy_factor": policy.accuracyFactor = try value.double()
      case "vertical_margin": policy.verticalMargin = try value.extended()
      case "entry_probability": policy.entryProbability = try value.double()
      case "exit_probability": policy.exitProbability = try value.double()
      case "dwell_policy": policy.dwellPolicy = try value.oneOf(["timer": .timer, "evidence": .evidence])
      case "notify":
        policy.notify = []
        for name in try value.list() {
          policy.notify.insert(try name.oneOf(["initial": .initial, "entry": .entry, "exit": .exit]))
        }
      default: throw MonitorError.invalidArgument(key)
      }
    }
    return policy
  }
}

/// Converts values of the library to the form that the steps of a scenario use.
extension JSON {
  init(_ time: Timestamp?) {
    self = time.map { .number(Double($0.microseconds) / 1e6) } ?? .null
  }

  init(_ number: Double?) {
    self = number.map { .number($0) } ?? .null
  }

  init(beacon: BeaconIdentityCondition) {
    var members: [String: JSON] = ["uuid": .string("\(beacon.uuid)")]
    if let major = beacon.major { members["major"] = .number(Double(major)) }
    if let minor = beacon.minor { members["minor"] = .number(Double(minor)) }
    self = .object(members)
  }

  init(band: AltitudeBand) {
    guard band != .none else {
      self = .null
      return
    }
    func limit(_ value: Double) -> JSON { value.isInfinite ? .string(value < 0 ? "-inf" : "inf") : .number(value) }
    func name(_ reference: AltitudeBand.Reference) -> JSON {
      switch reference {
      case .ellipsoid: .string("ellipsoid")
      case .meanSeaLevel: .string("mean_sea_level")
      case .ground: .string("ground")
      }
    }
    self = .object([
      "min": limit(band.min), "max": limit(band.max), "min_reference": name(band.minReference),
      "max_reference": name(band.maxReference),
    ])
  }

  init(condition: any Condition) {
    if let circle = condition as? CircularGeographicCondition {
      self = .object([
        "circle": .object([
          "latitude": .number(circle.center.latitude), "longitude": .number(circle.center.longitude),
          "radius": .number(circle.radius),
        ])
      ])
    } else if let beacon = condition as? BeaconIdentityCondition {
      self = .object(["beacon": JSON(beacon: beacon)])
    } else if let polygon = condition as? PolygonalGeographicCondition {
      self = .object(["polygon": JSON(polygon: polygon.multiple)])
    } else if let polygon = condition as? MultiPolygonalGeographicCondition {
      self = .object(["polygon": JSON(polygon: polygon)])
    } else if let corridor = condition as? CorridorGeographicCondition {
      self = .object(["corridor": JSON(corridor: corridor)])
    } else if let line = condition as? LineGeographicCondition {
      self = .object(["line": JSON(line: line)])
    } else if let rule = condition as? Rule {
      let parts = JSON.array(rule.parts.map { .string($0) })
      self =
        switch rule.form {
        case .atLeast(let count): .object(["rule": .object(["at_least": .number(Double(count)), "of": parts])])
        case .all: .object(["rule": .object(["all": parts])])
        case .any: .object(["rule": .object(["any": parts])])
        case .none: .object(["rule": .object(["none": parts])])
        }
    } else {
      self = .null
    }
  }

  /// Compares the keys that an expectation contains; numbers may differ by a tolerance that depends on the key.
  func expect(_ found: [String: JSON]?) throws {
    guard let expected = object, let found else {
      if (self == .null) != (found == nil) { throw Mismatch(expected: self, got: found as Any) }
      return
    }
    for (key, value) in expected {
      guard let actual = found[key] else { throw Mismatch("\(key) is not among what is compared") }
      if case .number(let one) = value, case .number(let other) = actual {
        // Two times are equal if they differ by less than half a microsecond.
        let tolerance =
          ["date": 5e-7, "evidence_date": 5e-7, "boundary_distance": 2e-8, "latitude": 1e-9, "longitude": 1e-9][key]
          ?? 1e-6
        if (one - other).magnitude <= tolerance { continue }
      } else if value == actual {
        continue
      } else if key == "condition", let kind = value.object?.keys.first, let shape = actual[kind]?.object,
        ["polygon", "corridor", "line"].contains(kind)
      {
        try value.member(kind).expect(shape)
        continue
      }
      throw Mismatch("\(key): expected \(value), got \(actual)")
    }
  }
}

extension JSON {
  /// The error ellipse of a fix; `nil` if it has none, or if its three numbers are NaN.
  func ellipse() throws -> FixEllipse? {
    guard let numbers = try self["ellipse"]?.list().map({ try $0.double() }) else { return nil }
    if numbers.allSatisfy({ $0.isNaN }) { return nil }
    return FixEllipse(major: numbers[0], minor: numbers[1], orientation: numbers[2])
  }
}

extension Event {
  var members: [String: JSON] {
    let flags = Diagnostics.names.enumerated().filter { diagnostics.rawValue & (1 << UInt32($0.offset)) != 0 }
    return [
      "identifier": .string(identifier), "state": .string("\(state.name)"), "cause": .string("\(cause.name)"),
      "date": JSON(date), "evidence_date": JSON(evidenceDate), "sequence": .number(Double(sequence)),
      "generation": .number(Double(generation)), "refinement": beacon.map { JSON(beacon: $0) } ?? .null,
      "boundary_distance": JSON(evidence?.boundaryDistance), "accuracy": JSON(evidence?.accuracy),
      "latitude": JSON(evidence?.coordinate.latitude), "longitude": JSON(evidence?.coordinate.longitude),
      "evidence": evidence.map { .string($0.source == .path ? "path" : "fix") } ?? .null, "gap": .bool(followsGap),
      "diagnostics": .array(flags.map { .string("\($0.element)") }),
      "probability": JSON(evidence?.probability), "vertical_distance": JSON(evidence?.verticalDistance),
      "direction": direction.map { .string("\($0.name)") } ?? .null,
      "decided_by": decidedBy.map { .number(Double($0)) } ?? .null, "tag": .number(Double(tag)),
    ]
  }
}

extension Explanation {
  var members: [String: JSON] {
    [
      "reason": .string("\(reason.name)"), "metres_to_decide": JSON(metresToDecide),
      "seconds_to_decide": JSON(secondsToDecide), "accuracy_needed": JSON(accuracyNeeded),
      "doubted_distance": JSON(doubt?.distance), "doubted_seconds": JSON(doubt?.seconds),
      "corroborations": .number(Double(doubt?.corroborations ?? 0)),
      "probability": JSON(probability), "vertical_distance": JSON(verticalDistance),
      "ellipse": ellipse.map { .array([.number($0.major), .number($0.minor), .number($0.orientation)]) } ?? .null,
      "parts": parts.isEmpty
        ? .null
        : .array(
          parts.map { .object(["identifier": .string($0.identifier), "state": .string("\($0.state.name)")]) }),
    ]
  }
}

extension MonitorError {
  /// The status in lower case, as scenarios name it.
  var status: String {
    switch self {
    case .invalidArgument: "invalid_argument"
    case .invalidName: "invalid_name"
    case .monitorInUse: "monitor_in_use"
    case .consumerAlreadyActive: "consumer_already_active"
    case .notFound: "not_found"
    case .noSuchDevice: "no_such_device"
    case .lateInput: "late_input"
    case .queueFull: "queue_full"
    case .aheadOfClock: "ahead_of_clock"
    case .storeUnavailable: "store_unavailable"
    case .storeCorrupt: "store_corrupt"
    case .storeTooNew: "store_too_new"
    case .snapshotInvalid: "snapshot_invalid"
    case .tableMismatch: "table_mismatch"
    case .internalInconsistency: "internal"
    }
  }
}
