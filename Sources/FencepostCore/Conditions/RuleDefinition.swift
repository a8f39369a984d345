import FencepostKernel

/// A rule: the number of its parts that must be satisfied. The parts are other conditions of the same table, which the
/// rule names by their identifiers.
package struct RuleDefinition: Sendable {
  /// The written form, with the numbers of the C interface.
  package enum Form: UInt8, Sendable {
    case atLeast = 0
    case all = 1
    case any = 2
    case none = 3
  }

  package static let mostParts = 1_000
  /// The largest number of rules one in another.
  static let greatestDepth = 8

  package let form: Form
  /// The number of the form `atLeast`, as the caller passed it.
  private let given: Int64
  /// The identifiers, one after the other, and where each of them ends.
  private var bytes: ContiguousArray<UInt8> = []
  private var ends: ContiguousArray<Int> = []

  package init(_ form: Form, atLeast: Int64 = 0) {
    self.form = form
    given = atLeast
  }

  package mutating func append(_ identifier: UnsafeBufferPointer<UInt8>) {
    bytes.append(contentsOf: identifier)
    ends.append(bytes.count)
  }

  package var partCount: Int { ends.count }

  /// The number of satisfied parts that decides the rule.
  package var count: Int64 {
    switch form {
    case .atLeast: given
    case .all: Int64(partCount)
    case .any, .none: 1
    }
  }

  /// Calls `body` with the identifier of a part.
  package func withPart<Result>(_ index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    let range = (index == 0 ? 0 : ends[index - 1])..<ends[index]
    return bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[range])) }
  }

  /// The slot that the identifier of a part has in a table; see ``IdentifierTable/slot(of:orNew:)``.
  @inline(never) @_optimize(size)
  func enter(_ index: Int, into table: inout IdentifierTable, as slot: UInt32) -> UInt32 {
    withPart(index) { table.slot(of: $0, orNew: slot) }
  }

  /// The slot that the identifier of a part has in a table.
  @inline(never) @_optimize(size)
  func find(_ index: Int, in table: IdentifierTable) -> UInt32? { withPart(index) { table.find($0) } }

  /// The identifiers of the parts, each followed by a zero byte.
  package var terminatedParts: [UInt8] {
    var text: [UInt8] = []
    for index in 0..<partCount {
      withPart(index) { text.append(contentsOf: $0) }
      text.append(0)
    }
    return text
  }

  @inline(never) @_optimize(size)
  package static func tooMany(_ count: Int) -> String {
    "too_many_parts: the rule has \(count) parts; must have 1 to 1000"
  }

  /// Returns the first defect of the rule itself, as a message.
  @_optimize(size)
  var defect: String? {
    guard partCount > 0 else { return "no_parts: the rule has no parts; must name 1 to 1000 conditions" }
    guard partCount <= Self.mostParts else { return Self.tooMany(partCount) }
    var known = IdentifierTable()
    for index in 0..<partCount {
      if let defect = withPart(index, { Definition.defect(ofIdentifier: $0) }) {
        return "identifier: part \(index): " + defect
      }
      let first = enter(index, into: &known, as: UInt32(index))
      if first != UInt32(index) { return "duplicate: part \(index) is also part \(first); name each condition once" }
    }
    if form == .atLeast {
      return given >= 1 && given <= Int64(partCount)
        ? nil : "count: at_least is \(given); must be from 1 to \(partCount), the number of parts"
    }
    return given == 0 ? nil : "count: at_least is set, but the rule has another form; must be 0"
  }

  /// Whether two rules have the same meaning. The order of the parts does not matter.
  @_optimize(size)
  func isNearlyEqual(to other: RuleDefinition) -> Bool {
    guard count == other.count, (form == .none) == (other.form == .none), partCount == other.partCount else {
      return false
    }
    if bytes == other.bytes, ends == other.ends { return true }
    var known = IdentifierTable()
    for index in 0..<partCount { _ = enter(index, into: &known, as: UInt32(index)) }
    for index in 0..<partCount where other.find(index, in: known) == nil { return false }
    return true
  }

  @_optimize(size)
  func encode(to writer: inout ByteWriter) {
    writer.put(form.rawValue)
    writer.putCompact(UInt64(given))
    writer.putCompact(UInt64(partCount))
    for index in 0..<partCount {
      withPart(index) {
        writer.putCompact(UInt64($0.count))
        writer.put(UnsafeRawBufferPointer($0))
      }
    }
  }

  /// Writes the same bytes for all rules of the same meaning: the parts are in the order of their bytes.
  @inline(never) @_optimize(size)
  func encodeMeaning(to writer: inout ByteWriter) {
    writer.put(form == .none)
    writer.putCompact(UInt64(count))
    var order = ContiguousArray(0..<UInt32(partCount))
    order.arrange { one, other in
      withPart(Int(one)) { one in withPart(Int(other)) { one.lexicographicallyPrecedes($0) } }
    }
    for index in order {
      withPart(Int(index)) {
        writer.putCompact(UInt64($0.count))
        writer.put(UnsafeRawBufferPointer($0))
      }
    }
  }

  @_optimize(size)
  init(reading reader: inout ByteReader) throws(Damage) {
    guard let form = Form(rawValue: try reader.take()) else { throw Damage("the form of a rule is unknown") }
    self.init(form, atLeast: Int64(clamping: try reader.takeCompact()))
    let count: Int = try reader.takeCompact("parts of a rule", in: 1...Self.mostParts)
    for _ in 0..<count {
      let length: Int = try reader.takeCompact("length of an identifier", in: 1...IdentifierTable.longest)
      append(try reader.takeBytes(length).assumingMemoryBound(to: UInt8.self))
    }
    if let defect { throw Damage(defect) }
  }
}
