import Foundation

@testable import FencepostKernel

struct Place {
  var latitude: Double
  var longitude: Double

  var vector: EarthVector { EarthVector(latitude: latitude, longitude: longitude) }

  func distance(to other: Place) -> Double {
    GeodesicInverse.distance(
      latitude1: latitude, longitude1: longitude, latitude2: other.latitude, longitude2: other.longitude)
  }

  func inverse(to other: Place) -> GeodesicInverse {
    GeodesicInverse.solve(
      latitude1: latitude, longitude1: longitude, latitude2: other.latitude, longitude2: other.longitude)
  }

  func moved(azimuth: Double, distance: Double) -> Place {
    let end = GeodesicDirect.solve(
      latitude: latitude, longitude: longitude, azimuth: azimuth, distance: distance)
    return Place(latitude: end.latitude, longitude: end.longitude)
  }
}

extension SeededGenerator {
  /// A random place on the Earth; places at or near the poles, the equator and the antimeridian, and places at whole
  /// degrees, are especially frequent.
  mutating func place() -> Place {
    let everywhere = Place(latitude: asin(uniform(-1...1)) * 180 / .pi, longitude: uniform(-180...180))
    let sign: Double = Bool.random(using: &self) ? 1 : -1
    switch UInt64.random(in: 0..<12, using: &self) {
    case 0: return Place(latitude: sign * (90 - logarithmic(1e-12, 1)), longitude: everywhere.longitude)
    case 1: return Place(latitude: sign * logarithmic(1e-14, 1), longitude: everywhere.longitude)
    case 2: return Place(latitude: everywhere.latitude, longitude: sign * (180 - logarithmic(1e-12, 1)))
    case 3: return Place(latitude: everywhere.latitude.rounded(), longitude: everywhere.longitude.rounded())
    case 4: return Place(latitude: sign * 90, longitude: everywhere.longitude)
    default: return everywhere
    }
  }

  /// A random place relative to another place: anywhere, close to it at all scales, nearly antipodal to it, on the same
  /// meridian or parallel, or equal to it.
  mutating func partner(of place: Place) -> Place {
    let sign: Double = Bool.random(using: &self) ? 1 : -1
    switch UInt64.random(in: 0..<8, using: &self) {
    case 0, 1:
      return place.moved(azimuth: uniform(0...360), distance: logarithmic(1e-6, 2e7))
    case 2, 3:
      let antipode = Place(latitude: -place.latitude, longitude: place.longitude + 180)
      return antipode.moved(azimuth: uniform(0...360), distance: logarithmic(1e-6, 1e6))
    case 4: return Place(latitude: self.place().latitude, longitude: place.longitude + (sign > 0 ? 0 : 180))
    case 5: return Place(latitude: sign * place.latitude, longitude: uniform(-180...180))
    case 6: return sign > 0 ? place : Place(latitude: place.latitude, longitude: place.longitude + 360)
    default: return self.place()
    }
  }

  /// Thresholds for a measured distance: the distance itself, values slightly different from it, values near it,
  /// arbitrary values, and distances at which the formula of the bounds changes.
  mutating func thresholds(around distance: Double) -> [Double] {
    [
      distance, distance.nextUp, max(0, distance.nextDown), logarithmic(1, 2e7),
      max(0, distance + uniform(-1...1) * logarithmic(1e-9, 1e3)), uniform(199_999...200_001),
      uniform(19_000_000...20_004_000),
    ]
  }
}

/// Numbers that are NaN, infinite, out of range, at a limit of the range, or extremely large or small.
let hostileNumbers: [Double] = [
  .nan, .signalingNaN, .infinity, -.infinity, 0, -0.0, 1e308, -1e308, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
  90, -90, 90.00000000000001, 91, 180, -180, 360, 1e-300, 1e16, 1e22,
]

/// Makes random pairs of positions of every kind, and calls `body` with the distance and the chord of each pair and
/// with a threshold to compare.
func forEachDistance(
  _ purpose: String, _ body: (_ distance: Double, _ chord: Double, _ threshold: Double, _ pair: String) -> Void
) {
  var random = SeededGenerator(purpose)
  for _ in 0..<100_000 {
    let p = random.place()
    let q = random.partner(of: p)
    let distance = p.distance(to: q)
    let chord = p.vector.squaredChord(to: q.vector).squareRoot()
    for threshold in random.thresholds(around: distance) { body(distance, chord, threshold, "\(p) \(q) \(threshold)") }
  }
}
