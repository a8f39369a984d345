extension AltitudeBand {
  /// Returns the first limit that is not accepted, or that a kind of condition does not have, as a message.
  @inline(never) @_optimize(size)
  func defect(for kind: ConditionKind) -> String? {
    guard !isNone else { return nil }
    guard kind.isGeographic, !kind.isLine else {
      return "altitude_min and altitude_max are set for a condition without a shape; only a circle, a polygon or a "
        + "corridor has a band of altitudes"
    }
    let limits = limits
    func isLimit(_ value: Double, none: Double) -> Bool { value == none || value.magnitude <= Self.greatest }
    guard isLimit(limits.min, none: -.infinity) else {
      return "altitude_min is \(limits.min); must be from -1e9 to 1e9 metres, or -infinity for no lower limit"
    }
    guard isLimit(limits.max, none: .infinity) else {
      return "altitude_max is \(limits.max); must be from -1e9 to 1e9 metres, or infinity for no upper limit"
    }
    guard limits.min < limits.max || limits.minReference != limits.maxReference else {
      return "altitude_min is \(limits.min) and altitude_max is \(limits.max); altitude_min must be less than "
        + "altitude_max, as they have the same reference"
    }
    return nil
  }
}
