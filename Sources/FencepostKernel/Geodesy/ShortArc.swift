/// The geodesic between two near points, from the straight line that joins them: no trigonometry, no iteration.
///
/// It is an arc of the circle that has the normal curvature κ of the surface at its middle (see `ShortDistance`): over its
/// chord by κℓ² s (1 − s) / 2, where s is the share of it, and (κℓ)² s (1 − s) (½ − s) / 6 of the chord behind the share s of
/// that. How κ changes along it and how the geodesic winds contributes less than a nanometre up to `limit`; the rounding of the
/// two vectors more than that: a position is within 5 nm of the geodesic's.
@frozen public struct ShortArc: Sendable {
  /// Longest chord, metres, for which positions keep their error bound.
  @inlinable public static var limit: Double { 300 }

  public let start: EarthVector
  /// From there to the end.
  public let chord: EarthVector
  /// The square of its length, square metres.
  public let square: Double
  /// Metres along the arc.
  public let length: Double
  /// How far the arc rises above its chord at s (1 − s) = 1, metres, and where to.
  @usableFromInline let rise: EarthVector
  /// How far it is behind at s (1 − s) (½ − s) = 1, in chords.
  @usableFromInline let lag: Double

  /// Above `limit` only `start`, `chord` and `square` mean anything.
  @inlinable @inline(__always)
  public init(from start: EarthVector, to end: EarthVector) {
    self.start = start
    let dx = end.x - start.x
    let dy = end.y - start.y
    let dz = end.z - start.z
    let square = dx * dx + dy * dy + dz * dz
    // Twice the middle of the chord, turned along the normal of the surface.
    let mx = end.x + start.x
    let my = end.y + start.y
    let mz = (1 + Ellipsoid.secondEccentricitySquared) * (end.z + start.z)
    let bent = square + Ellipsoid.secondEccentricitySquared * (dz * dz)
    // Antipodes have no middle; a host may trap a division by zero.
    let fourfold = max(mx * mx + my * my + mz * mz, 1)
    let turned = square > 0 ? 4 * (bent * bent) / (square * fourfold) : 0
    let line = square.squareRoot()
    let height = bent / fourfold
    chord = EarthVector(x: dx, y: dy, z: dz)
    self.square = square
    length = line + line * (turned * (1 / 24.0))
    rise = EarthVector(x: height * mx, y: height * my, z: height * mz)
    lag = turned * (1 / 6.0)
  }

  /// The point at a share of the arc.
  ///
  /// - Parameter share: 0 to 1.
  @inlinable @inline(__always)
  public func position(at share: Double) -> EarthVector {
    let bend = share * (1 - share)
    let along = share + lag * (bend * (share - 0.5))
    return EarthVector(
      x: start.x + along * chord.x + bend * rise.x, y: start.y + along * chord.y + bend * rise.y,
      z: start.z + along * chord.z + bend * rise.z)
  }
}
