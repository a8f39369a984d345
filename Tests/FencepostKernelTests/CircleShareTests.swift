import Foundation
import Testing

@testable import FencepostKernel

/// The probability of a circle under an error ellipse agrees with a fine quadrature over the angle of the circle.
@Suite struct CircleShareTests {
  private static func tail(_ x: Double) -> Double { 0.5 * erfc(x / 2.0.squareRoot()) }

  /// The integral over the chords along the major axis, by Simpson's rule in the angle t of the circle, with ends that
  /// follow from the reach of the minor axis.
  private func quadrature(along: Double, across: Double, radius: Double, major: Double, minor: Double) -> Double {
    func angle(_ apart: Double) -> Double { asin(max(-1, min(1, (apart - across) / radius))) }
    let (first, last) = (angle(-9 * minor), angle(9 * minor))
    let count = 4_000
    let step = (last - first) / Double(count)
    var sum = 0.0
    for index in 0...count {
      let t = first + step * Double(index)
      let (apart, half) = (across + radius * sin(t), radius * cos(t))
      let chord = Self.tail((-along - half) / major) - Self.tail((half - along) / major)
      let density = exp(-0.5 * apart * apart / (minor * minor)) / (minor * (2 * Double.pi).squareRoot())
      sum += (index == 0 || index == count ? 1 : index % 2 == 0 ? 2 : 4) * chord * density * half
    }
    return sum * step / 3
  }

  @Test func theRuleAgreesWithAQuadrature() {
    var random = SeededGenerator("shares of circles")
    var answered = 0
    for turn in 0..<4_000 {
      let minor = random.logarithmic(0.01, 10)
      let major = turn % 5 == 0 ? minor : minor * random.logarithmic(1, 300)
      let radius = minor * random.logarithmic(6, 1e4)
      let nearEdge = radius * (1 - random.logarithmic(1e-4, 1))
      let beyond = radius + minor * random.uniform(5...9)
      let across = [radius * random.uniform(-1...1), nearEdge, -nearEdge, beyond][turn % 4]
      let half = max(0, radius * radius - across * across).squareRoot()
      // The device is often about as far from the boundary as the error.
      let along = turn % 3 == 0 ? radius * random.uniform(-1...1) : half + major * random.uniform(-4...4)
      let error = ErrorEllipse(major: major, minor: minor, orientation: 0)
      guard let share = CircleShare.share(along: along, across: across, radius: radius, error) else { continue }
      answered += 1
      let expected = quadrature(along: along, across: across, radius: radius, major: major, minor: minor)
      #expect(
        abs(share - expected) < 1e-9,
        "\(share) is not \(expected): \(along), \(across), radius \(radius), axes \(major) and \(minor)")
    }
    #expect(answered > 1_500, "\(answered)")
  }

  /// The probability of a circle does not depend on how it is computed: the rule of equal steps where it holds, else the
  /// integral along the boundary.
  @Test func theRuleAgreesWithTheBoundary() {
    var random = SeededGenerator("circles and their boundaries")
    var (answered, least) = (0, 1.0)
    for turn in 0..<600 {
      let minor = random.logarithmic(0.5, 20)
      let error = ErrorEllipse(
        major: turn % 4 == 0 ? minor : minor * random.logarithmic(1, 50), minor: minor,
        orientation: random.uniform(0...360))
      let radius = minor * random.logarithmic(8, 200)
      let place = SurfacePoint(latitude: random.uniform(-89...89), longitude: random.uniform(-180...180))
      let end = GeodesicDirect.solve(
        latitude: place.latitude, longitude: place.longitude, azimuth: random.uniform(0...360),
        distance: radius * random.uniform(0...1.5))
      let centre = SurfacePoint(latitude: end.latitude, longitude: end.longitude)
      let share = error.probability(at: place, inCircleAround: centre, radius: radius)
      guard share > 1e-4, share < 1 - 1e-4 else { continue }
      // Of 720 edges, with the area of the circle.
      let ring = (0..<720).map { index in
        let at = GeodesicDirect.solve(
          latitude: centre.latitude, longitude: centre.longitude, azimuth: 359.75 - 0.5 * Double(index),
          distance: radius * (1 + pow(2 * Double.pi / 720, 2) / 12))
        return (at.latitude, at.longitude)
      }
      guard let polygon = try? GeodesicShape.reading(polygon: [[ring]]) else { continue }
      let expected = polygon.probability(at: place, error)
      answered += 1
      least = min(least, share)
      #expect(abs(share - expected) < 2e-4, "\(share) is not \(expected): radius \(radius), \(error)")
    }
    #expect(answered > 200 && least < 0.1, "\(answered), \(least)")
  }
}
