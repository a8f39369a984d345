/// The bytes of heights and of bands.
extension FixHeight {
  @inline(never)
  func encode(to writer: inout ByteWriter) {
    for value in [altitude, verticalAccuracy, geoidHeight, groundHeight] { writer.put(value) }
  }

  @inline(never)
  init(reading reader: inout ByteReader) throws(Damage) {
    self.init(
      altitude: try reader.takeDouble(), verticalAccuracy: try reader.takeDouble(),
      geoidHeight: try reader.takeDouble(), groundHeight: try reader.takeDouble())
    guard !heights.altitude.isNaN else { throw Damage("a saved height has no altitude") }
  }
}

extension AltitudeBand {
  @inline(never)
  func encode(to writer: inout ByteWriter) {
    let limits = limits
    writer.put(limits.minReference.rawValue | limits.maxReference.rawValue << 2)
    writer.putCompact(limits.min)
    writer.putCompact(limits.max)
  }

  @inline(never)
  init(reading reader: inout ByteReader, for kind: ConditionKind) throws(Damage) {
    let bits: UInt8 = try reader.take("references of a band", in: 0...15)
    guard let minReference = Reference(rawValue: bits & 3), let maxReference = Reference(rawValue: bits >> 2) else {
      throw Damage("the references of a band are \(bits)")
    }
    let (min, max) = (try reader.takeCompactDouble(), try reader.takeCompactDouble())
    self.init(min: min, max: max, minReference: minReference, maxReference: maxReference)
    if let defect = defect(for: kind) { throw Damage(defect) }
    guard !isNone else { throw Damage("a condition has an empty band") }
  }
}
