/// The geodesic between two near points, computed from the straight line that joins them, without trigonometry or
/// iteration.
///
/// The geodesic is treated as an arc of a circle whose curvature is the normal curvature κ of the surface at the middle
/// of the arc (see `ShortDistance`). Let ℓ be the length of the chord. At the share s of the arc, the point is κℓ² s (1
/// − s) / 2 above the chord, and lags behind the share s of the chord by (κℓ)² s (1 − s) (½ − s) / 6 of the chord. The
/// change of κ along the arc and the torsion of the geodesic contribute less than a nanometre up to `limit`; the
/// rounding of the two vectors contributes more. A position on the arc is within 5 nm of the corresponding position on
/// the exact geodesic.
@frozen public struct ShortArc: Sendable {
  /// The longest chord, in metres, for which positions are within the error bound.
  @inlinable public static var limit: Double { 300 }

  public let start: EarthVector
  /// The vector from the start to the end.
  public let chord: EarthVector
  /// The square of the chord's length, in square metres.
  public let square: Double
  /// The length of the arc, in metres.
  public let length: Double
  /// The height of the arc above its chord at the share s of the arc is this vector, in metres, times s (1 − s).
  @usableFromInline let rise: EarthVector
  /// The coefficient of s (1 − s) (½ − s) in the lag at the share s of the arc, as a multiple of the chord.
  @usableFromInline let lag: Double

  /// If the chord is longer than `limit`, only `start`, `chord` and `square` are valid.
  @inlinable @inline(__always)
  public init(from start: EarthVector, to end: EarthVector) {
    self.start = start
    let dx = end.x - start.x
    let dy = end.y - start.y
    let dz = end.z - start.z
    let square = dx * dx + dy * dy + dz * dz
    // The vector (mx, my, mz) is twice the chord's midpoint, with z scaled so that the vector points along the surface
    // normal.
    let mx = end.x + start.x
    let my = end.y + start.y
    let mz = (1 + Ellipsoid.secondEccentricitySquared) * (end.z + start.z)
    let bent = square + Ellipsoid.secondEccentricitySquared * (dz * dz)
    // Antipodes have no midpoint, and a host may trap a division by zero.
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

  /// The point at a given share of the arc.
  ///
  /// - Parameter share: 0 to 1.
  @inlinable @inline(__always)
  public func position(at share: Double) -> EarthVector {
    let way = way(to: share)
    return EarthVector(x: start.x + way.x, y: start.y + way.y, z: start.z + way.z)
  }

  /// The vector from the start to the point at a given share of the arc.
  @inlinable @inline(__always)
  func way(to share: Double) -> EarthVector {
    let bend = share * (1 - share)
    let along = share + lag * (bend * (share - 0.5))
    return EarthVector(
      x: along * chord.x + bend * rise.x, y: along * chord.y + bend * rise.y, z: along * chord.z + bend * rise.z)
  }

  /// The tangent at a given share of the arc, in metres per whole arc.
  @inlinable
  public func direction(at share: Double) -> EarthVector {
    let turn = 1 - 2 * share
    return EarthVector(x: chord.x + turn * rise.x, y: chord.y + turn * rise.y, z: chord.z + turn * rise.z)
  }

  /// The latitude and longitude, in degrees, of the point at a given share of the arc, computed from the arc's start.
  ///
  /// On the surface, tan φ = z / ((1 − e²) p), where p is the distance from the axis. The changes of the angles are
  /// computed from the displacement and added to the start's angles: rounding errors are relative to the displacement,
  /// not to the radius of the Earth.
  ///
  /// - Parameter share: 0 to 1.
  /// - Returns: Degrees in [−90, 90] and [−180, 180].
  public func place(at share: Double, fromLatitude latitude: Double, longitude: Double) -> (
    latitude: Double, longitude: Double
  ) {
    let way = way(to: share)
    let x = start.x + way.x
    let y = start.y + way.y
    let z = start.z + way.z
    let before = (start.x * start.x + start.y * start.y).squareRoot()
    let axial = (x * x + y * y).squareRoot()
    let both = before + axial
    // The change in the distance from the Earth's axis. The change is 0 if the displacement begins and ends on the
    // axis.
    let outwards = both > 0 ? (way.x * (x + start.x) + way.y * (y + start.y)) / both : 0
    let ratio = Ellipsoid.axisRatioSquared
    let northing = ratio * (way.z * before - start.z * outwards)
    let tilt = northing / (ratio * ratio * (axial * before) + z * start.z)
    let climbed = latitude + tilt * (1 - tilt * tilt * (1 / 3.0)) * Self.degreesPerRadian

    let easting = start.x * way.y - start.y * way.x
    let ahead = start.x * x + start.y * y
    let turned: Double
    if easting.magnitude < 0.01 * ahead {
      let turn = easting / ahead
      let square = turn * turn
      turned = turn * (1 - square * (1 / 3.0 - square * (1 / 5.0))) * Self.degreesPerRadian
    } else if before > 0 {
      // Beside a pole.
      turned = Trigonometry.atan2Degrees(easting, ahead)
    } else {
      // The geodesic starts at a pole, where the longitude has no meaning.
      return (max(-90, min(90, climbed)), axial > 0 ? Trigonometry.atan2Degrees(y, x) : longitude)
    }
    return (max(-90, min(90, climbed)), GeodesicDirect.wrapped(longitude, plus: turned))
  }

  private static var degreesPerRadian: Double { 57.29577951308232 }
}
