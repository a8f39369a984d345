/// The values that ``ByteWriter`` writes as a whole, each checked as if a caller had passed it.
extension ByteReader {
  mutating func takeFix() throws(Damage) -> Fix {
    let fix = Fix(
      latitude: try takeDouble(), longitude: try takeDouble(), accuracy: try takeDouble(),
      time: Timestamp(microseconds: try take()))
    guard fix.isUsable else { throw Damage("a fix is out of range") }
    return fix
  }

  mutating func takePolicy() throws(Damage) -> TransitionPolicy {
    let policy = TransitionPolicy(
      entryDwellMicroseconds: try take(), exitDwellMicroseconds: try take(), entryMargin: try takeDouble(),
      exitMargin: try takeDouble(), exitMarginLimit: try takeDouble(), accuracyFactor: try takeDouble(),
      dwellPolicy: try take(TransitionPolicy.DwellPolicy.self, "dwell_policy"),
      notify: TransitionPolicy.Notify(rawValue: try take()))
    if let defect = policy.defect { throw Damage(defect) }
    return policy
  }

  mutating func takeBeacon() throws(Damage) -> BeaconIdentityCondition? {
    let uuid = BeaconUUID(high: try take(), low: try take())
    let components: UInt8 = try take()
    let major: UInt16 = try take()
    let minor: UInt16 = try take()
    switch components {
    case 0: return BeaconIdentityCondition(uuid: uuid)
    case 1: return BeaconIdentityCondition(uuid: uuid, major: major)
    case 2: return BeaconIdentityCondition(uuid: uuid, major: major, minor: minor)
    case .max: return nil
    default: throw Damage("the components of a beacon are \(components)")
    }
  }

  mutating func takeEntry(slot: UInt32, generation: UInt64) throws(Damage) -> EventEntry {
    var entry = EventEntry(slot: slot, generation: generation, state: .unknown, cause: .none, date: nil)
    entry.sequence = try take("sequence", in: 0...EngineRestorer.largest)
    entry.change = try take("change", in: 0...EngineRestorer.largest)
    // A dwell or a timeout may end after the last instant that an input can have.
    entry.date = try take("date", in: .min...Int64.max)
    entry.evidenceDate = try takeTime("evidence_date")
    entry.latitude = try takeDouble()
    entry.longitude = try takeDouble()
    entry.accuracy = try takeDouble()
    entry.boundaryDistance = try takeDouble()
    guard
      entry.latitude.isNaN
        || (Coordinate(latitude: entry.latitude, longitude: entry.longitude).isValid && entry.accuracy >= 0)
    else { throw Damage("the evidence of an event is out of range") }
    entry.diagnostics = Diagnostics(rawValue: try take("diagnostics", in: 0...Diagnostics.all.rawValue))
    entry.hasRefinement = try takeBool("has_refinement")
    entry.refinementMajor = try take()
    entry.refinementMinor = try take()
    entry.state = try take(Event.State.self, "state")
    entry.cause = try take(Event.Cause.self, "cause")
    entry.notify = TransitionPolicy.Notify(rawValue: try take("notify", in: 0...TransitionPolicy.Notify.all.rawValue))
    return entry
  }
}
