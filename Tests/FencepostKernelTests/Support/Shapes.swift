@testable import FencepostKernel

typealias Corner = (latitude: Double, longitude: Double)

extension GeodesicShape {
  convenience init(
    polygon parts: [[[Corner]]], reading: EdgeReading = .geodesic, isOriented: Bool = false, buffer: Double = 0
  ) throws(ShapeDefect) {
    try self.init(
      ShapeDefinition(
        .polygon(buffer: buffer, isOriented: isOriented), ShapeVertices(parts: parts), edges: reading))
  }

  convenience init(
    corridor lines: [[Corner]], radius: Double, reading: EdgeReading = .geodesic
  ) throws(ShapeDefect) {
    try self.init(ShapeDefinition(.corridor(radius: radius), ShapeVertices(lines: lines), edges: reading))
  }
}

/// A square of degrees, counterclockwise from its south-western corner.
func square(_ south: Double, _ west: Double, _ size: Double) -> [Corner] {
  [(south, west), (south, west + size), (south + size, west + size), (south + size, west)]
}
