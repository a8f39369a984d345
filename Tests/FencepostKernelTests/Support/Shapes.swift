import TestSupport

@testable import FencepostKernel

typealias Corner = (latitude: Double, longitude: Double)

extension GeodesicShape {
  static func reading(
    polygon parts: [[[Corner]]], reading edges: EdgeReading = .geodesic, isOriented: Bool = false, buffer: Double = 0
  ) throws(ShapeDefect) -> GeodesicShape {
    try reading(
      ShapeDefinition(
        .polygon(buffer: buffer, isOriented: isOriented), ShapeVertices(parts: parts), edges: edges))
  }

  static func reading(
    corridor lines: [[Corner]], radius: Double, reading edges: EdgeReading = .geodesic
  ) throws(ShapeDefect) -> GeodesicShape {
    try reading(ShapeDefinition(.corridor(radius: radius), ShapeVertices(lines: lines), edges: edges))
  }
}

/// A square in degrees, counterclockwise from its south-western corner.
func square(_ south: Double, _ west: Double, _ size: Double) -> [Corner] {
  [(south, west), (south, west + size), (south + size, west + size), (south + size, west)]
}

/// A ring with random corners around a middle point; the distance of each corner is `least` to 1 times the radius.
func star(
  _ random: inout SeededGenerator, around middle: Place, radius: Double, least: Double
) -> [Corner] {
  let corners = random.chance(0.3) ? random.integer(60...400) : random.integer(3...40)
  let angles = (0..<corners).map { _ in random.uniform(0...360) }.sorted()
  return angles.map { angle in
    let place = middle.moved(azimuth: -angle, distance: radius * random.uniform(least...1))
    return (place.latitude, place.longitude)
  }
}
