/// The definition of a condition, with its identifier and its assumed state. The key is the generation; only the schedule
/// of a row may change.
struct DefinitionRow {
  var identifier: [UInt8]
  var definition: Definition
  /// The date of the first record, in microseconds; `Int64.min` if it has none.
  var added: Int64

  /// A bit of the byte after the kind, above the two bits of the assumed state.
  private static let hasTag: UInt8 = 4
  private static let hasDate: UInt8 = 8
  private static let hasTiming: UInt8 = 16
  private static let hasBand: UInt8 = 32

  /// - Parameter added: The date of the first record, which a shared table does not have.
  static func encode(
    _ slot: UInt32, of table: borrowing ConditionTable, added: Int64 = .min, to writer: inout ByteWriter
  ) {
    let row = table.rows[Int(slot)]
    let isTimed = table.policies.hasTimings && table.timing(of: slot) != nil
    let band = table.band(of: slot)
    writer.put(row.kind.rawValue)
    writer.put(
      row.assumed.rawValue | (row.tag != 0 ? hasTag : 0) | (added != .min ? hasDate : 0)
        | (isTimed ? hasTiming : 0) | (band != nil ? hasBand : 0))
    table.identifiers.withBytes(of: slot) { bytes in
      writer.putCompact(UInt64(bytes.count))
      writer.put(UnsafeRawBufferPointer(bytes))
    }
    if row.tag != 0 { writer.putCompact(row.tag) }
    if added != .min { writer.putCompact(added) }
    table.policies[row.policy].encode(to: &writer)
    if isTimed { table.timing(of: slot)?.encode(to: &writer) }
    if let band {
      // Only a condition with a band has a vertical margin.
      band.encode(to: &writer)
      writer.putCompact(table.policies[row.policy].verticalMargin)
    }
    // The geometry is last, so that it may be as long as a shape needs.
    table.subject(of: slot).encode(to: &writer)
  }

  init(reading reader: inout ByteReader) throws(Damage) {
    let kind = try reader.take(ConditionKind.self, "kind")
    let bits: UInt8 = try reader.take("bits of a condition", in: 0...63)
    guard let assumed = Event.State(rawValue: bits & 3) else { throw Damage("assumed is \(bits & 3)") }
    let length: Int = try reader.takeCompact("length of an identifier", in: 0...65_535)
    identifier = Array(try reader.takeBytes(length))
    let tag = bits & Self.hasTag != 0 ? try reader.takeCompact() : 0
    added = bits & Self.hasDate != 0 ? try reader.takeSignedTime("added") : .min
    var policy = try TransitionPolicy(reading: &reader)
    let timing = bits & Self.hasTiming != 0 ? try ConditionTiming(reading: &reader) : .none
    if let defect = timing.defect(for: kind) { throw Damage(defect) }
    var band = AltitudeBand.none
    if bits & Self.hasBand != 0 {
      band = try AltitudeBand(reading: &reader, for: kind)
      policy.verticalMargin = try reader.takeCompactDouble()
      if let defect = policy.defect { throw Damage(defect) }
    }
    let subject = try Definition.Subject(kind, reading: &reader)
    try reader.end()
    definition = Definition(
      subject: subject, policy: policy, tag: tag, assumed: assumed, timing: timing, band: band)
  }

  init(identifier: [UInt8], definition: Definition, added: Int64) {
    self.identifier = identifier
    self.definition = definition
    self.added = added
  }
}

extension TransitionPolicy {
  /// A bit of the byte of the dwell policy: two probabilities follow.
  private static let probabilities: UInt8 = 2

  func encode(to writer: inout ByteWriter) {
    writer.putCompact(entryDwellMicroseconds)
    writer.putCompact(exitDwellMicroseconds)
    writer.putCompact(entryMargin)
    writer.putCompact(exitMargin)
    writer.putCompact(exitMarginLimit)
    writer.putCompact(accuracyFactor)
    writer.put(dwellPolicy.rawValue | (hasProbability ? Self.probabilities : 0))
    writer.put(notify.rawValue)
    guard hasProbability else { return }
    writer.put(entryProbability)
    writer.put(exitProbability)
  }

  init(reading reader: inout ByteReader) throws(Damage) {
    self.init(
      entryDwellMicroseconds: try reader.takeSigned(), exitDwellMicroseconds: try reader.takeSigned(),
      entryMargin: try reader.takeCompactDouble(), exitMargin: try reader.takeCompactDouble(),
      exitMarginLimit: try reader.takeCompactDouble(), accuracyFactor: try reader.takeCompactDouble())
    let bits: UInt8 = try reader.take("dwell_policy", in: 0...3)
    dwellPolicy = bits & 1 != 0 ? .evidence : .timer
    notify = Notify(rawValue: try reader.take())
    if bits & Self.probabilities != 0 {
      entryProbability = try reader.takeDouble()
      exitProbability = try reader.takeDouble()
      guard hasProbability else { throw Damage("the probabilities of a policy are 0") }
    }
    verticalMargin = usualVerticalMargin
    if let defect { throw Damage(defect) }
  }
}

extension BeaconIdentityCondition? {
  /// Encodes `nil` as the number of components 255 alone.
  func encode(to writer: inout ByteWriter) {
    guard let beacon = self else { return writer.put(UInt8.max) }
    writer.put((beacon.minor != nil ? 2 : beacon.major != nil ? 1 : 0) as UInt8)
    writer.put(beacon.uuid.high)
    writer.put(beacon.uuid.low)
    if let major = beacon.major { writer.put(major) }
    if let minor = beacon.minor { writer.put(minor) }
  }

  init(reading reader: inout ByteReader) throws(Damage) {
    let components: UInt8 = try reader.take()
    if components == .max {
      self = nil
      return
    }
    guard components <= 2 else { throw Damage.components(components) }
    let uuid = BeaconUUID(high: try reader.take(), low: try reader.take())
    switch components {
    case 0: self = BeaconIdentityCondition(uuid: uuid)
    case 1: self = BeaconIdentityCondition(uuid: uuid, major: try reader.take())
    default:
      let major: UInt16 = try reader.take()
      self = BeaconIdentityCondition(uuid: uuid, major: major, minor: try reader.take())
    }
  }
}
