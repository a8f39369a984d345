package import FencepostKernel

/// A condition as a caller gives it, before it is examined.
package enum GivenCondition: Sendable {
  case circle(CircularGeographicCondition)
  case beacon(BeaconIdentityCondition)
  /// A polygon, a corridor or a line.
  case shape(ShapeDefinition)

  /// Examines it. For polygons and corridors this is work: the edges are looked at for crossings, and the depth is sought.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``
  package func subject() throws(MonitorError) -> Definition.Subject {
    switch self {
    case .circle(let circle):
      if let defect = circle.defect { throw .invalidArgument(defect) }
      return .circle(circle)
    case .beacon(let beacon):
      return .beacon(beacon)
    case .shape(let definition):
      return Definition.Subject(try GeodesicShape.validated(definition))
    }
  }

  /// Examines it, unless a condition has exactly this subject already.
  ///
  /// - Parameter known: Looks up the subject of the condition with the same identifier; called only where examining is work.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``
  package func subject(known: () -> Definition.Subject?) throws(MonitorError) -> Definition.Subject {
    if case .shape = self, let known = known(), known.isExactly(self) { return known }
    return try subject()
  }
}
