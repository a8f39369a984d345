extension TransitionPolicy {
  /// The largest accuracy with which a fix decides a shape of that size; `nil` when none would, or when accuracy plays no
  /// part. The inverse of the rules above.
  ///
  /// - Parameter measure: where the fix is.
  func accuracyThatDecides(_ observed: Observed, size: Double, _ measure: Shape.Measure) -> Double? {
    guard accuracyFactor > 0 else { return nil }
    let coarse = max(size, Self.alwaysFineEnough)
    let past = measure.boundaryDistance
    // A quotient that does not overflow, which a host may trap: the distances that come here are below 1e8.
    func scaled(_ metres: Double) -> Double { metres / max(accuracyFactor, 1e-280) }
    switch observed {
    case .undetermined:
      return past <= 0 ? coarse : max(coarse, past)
    case .inside:
      return past >= exitMargin(size: size) && past > 0 ? scaled(past) : nil
    case .outside:
      if measure.distance <= measure.line - size / 2 { return coarse }
      return -past >= entryMargin && past <= 0 ? min(coarse, scaled(-past)) : nil
    }
  }
}
