import FencepostCore

/// A condition whose state follows from the states of other conditions of the monitor or table, its parts.
///
/// ```swift
/// try await monitor.add(Rule.all(["yard", "truck beacon"]), identifier: "truck in yard", policy: .exact)
/// ```
///
/// A part that is missing, undetermined, suspended or unmonitored is unknown; then the rule is known only if the other
/// parts decide alone. A part that is inactive counts as unsatisfied. Parts are shapes, beacon conditions and other rules,
/// but not lines; a part may be added after the rule. A rule has at most 1000 parts, at most 8 rules are one in another,
/// and a cycle is refused. Of the policy, the dwells and `notify` apply. The events of a rule have ``Event/decidedBy``.
/// In the ``Conditions`` of fleets, a beacon condition cannot be a part.
public struct Rule: Condition {
  /// How many parts must be satisfied.
  public enum Form: Sendable, Hashable {
    /// At least this number.
    case atLeast(Int)
    /// All of them.
    case all
    /// One or more.
    case any
    /// None of them.
    case none
  }

  public var form: Form
  /// The identifiers of the parts.
  public var parts: [String]

  public init(_ form: Form, parts: [String]) {
    self.form = form
    self.parts = parts
  }

  /// The rule that each part is satisfied.
  public static func all(_ parts: [String]) -> Rule { Rule(.all, parts: parts) }
  /// The rule that at least one part is satisfied.
  public static func any(_ parts: [String]) -> Rule { Rule(.any, parts: parts) }
  /// The rule that each part is unsatisfied.
  public static func none(_ parts: [String]) -> Rule { Rule(.none, parts: parts) }
  /// The rule that at least some number of the parts are satisfied.
  public static func atLeast(_ count: Int, of parts: [String]) -> Rule { Rule(.atLeast(count), parts: parts) }

  init(_ definition: RuleDefinition) {
    switch definition.form {
    case .atLeast: form = .atLeast(Int(definition.count))
    case .all: form = .all
    case .any: form = .any
    case .none: form = .none
    }
    parts = (0..<definition.partCount).map { definition.withPart($0) { String(decoding: $0, as: UTF8.self) } }
  }

  var definition: RuleDefinition {
    var definition =
      switch form {
      case .atLeast(let count): RuleDefinition(.atLeast, atLeast: Int64(count))
      case .all: RuleDefinition(.all)
      case .any: RuleDefinition(.any)
      case .none: RuleDefinition(.none)
      }
    // One part too many is enough to refuse a rule.
    for var part in parts.prefix(RuleDefinition.mostParts + 1) { part.withUTF8 { definition.append($0) } }
    return definition
  }
}
