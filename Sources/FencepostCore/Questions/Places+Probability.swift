import FencepostKernel

extension Places {
  /// The probability that the true position is inside the shape of a condition, on the boundary included.
  ///
  /// The true position is normally distributed in the azimuthal equidistant plane around the measured position. The
  /// probability is right to 1e-6. By definition it is 0 or 1, by the side of the measured position, if the boundary is
  /// farther away than 6.5 times the major semi-axis, or if no error is reported (an accuracy of 0). It is NaN if the
  /// boundary is nearer and the major semi-axis is longer than 10 km. Semi-axes count as at least 0.01 m.
  ///
  /// - Parameter point: The measured position.
  /// - Throws: ``MonitorError/notFound(_:)``; ``MonitorError/invalidArgument(_:position:)`` if the condition is
  ///   a beacon or a line, the point is out of range, or the error is not valid.
  /// - Complexity: O(log vertices + edges within 6.5 standard deviations). For corridors and polygons with a buffer,
  ///   the edges near the boundary are compared with one another.
  public func probability(
    of identifier: String, at point: Coordinate, error: PositionError
  ) throws(MonitorError) -> Double {
    if let defect = point.defect ?? error.defect { throw .invalidArgument(defect) }
    guard let slot = table.slot(of: identifier) else { throw .notFound(identifier) }
    return try shape(of: slot).probability(at: point, error)
  }

  /// Writes the probabilities of many measured positions into the caller's memory.
  ///
  /// - Parameters:
  ///   - confidence: The probability with which an accuracy radius contains the true position.
  ///   - probabilities: One element for each row; nothing is written if a row is invalid.
  package func probability(
    ofIdentifierBytes identifier: UnsafeBufferPointer<UInt8>, _ rows: MeasuredColumns, confidence: Double,
    _ probabilities: UnsafeMutablePointer<Double>
  ) throws(MonitorError) {
    let slot = try table.slot(ofIdentifierBytes: identifier)
    let shape = try shape(of: slot)
    try rows.checkRows(confidence: confidence)
    for row in 0..<rows.points.count {
      probabilities[row] = shape.probability(
        at: rows.points[unchecked: row], rows.error(row, confidence: confidence))
    }
  }

  private func shape(of slot: UInt32) throws(MonitorError) -> Shape {
    guard table.isGeographic(slot) else {
      throw .invalidArgument("a beacon condition has no shape; a probability needs a circle, a polygon or a corridor")
    }
    let shape = table.shape(of: slot)
    if case .line = shape {
      throw .invalidArgument("a line condition has no inside; a probability needs a circle, a polygon or a corridor")
    }
    return shape
  }
}

extension CircularGeographicCondition {
  /// The probability that the true position is in the circle. See ``Places/probability(of:at:error:)``.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the circle, the point or the error is not valid.
  public func probability(at point: Coordinate, error: PositionError) throws(MonitorError) -> Double {
    if let defect = defect ?? point.defect ?? error.defect { throw .invalidArgument(defect) }
    return Shape.circle(Circle(self)).probability(at: point, error)
  }
}

extension GeodesicShape {
  /// The probability that the true position is inside the shape of a definition.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the definition, the point or the error is not valid.
  static func probability(
    at point: Coordinate, _ error: PositionError, in definition: ShapeDefinition
  ) throws(MonitorError) -> Double {
    if let defect = point.defect ?? error.defect { throw .invalidArgument(defect) }
    let shape = try GeodesicShape.validated(definition)
    guard let ellipse = error.ellipse else { return shape.contains(SurfacePoint(point)) ? 1 : 0 }
    return shape.probability(at: SurfacePoint(point), ellipse)
  }
}
