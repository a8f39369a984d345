/// Arithmetic with differences of points, as vectors in space.
extension EarthVector {
  @inlinable @inline(__always)
  static func + (a: EarthVector, b: EarthVector) -> EarthVector {
    EarthVector(x: a.x + b.x, y: a.y + b.y, z: a.z + b.z)
  }

  @inlinable @inline(__always)
  static func - (a: EarthVector, b: EarthVector) -> EarthVector {
    EarthVector(x: a.x - b.x, y: a.y - b.y, z: a.z - b.z)
  }

  @inlinable @inline(__always)
  static func * (a: EarthVector, factor: Double) -> EarthVector {
    EarthVector(x: a.x * factor, y: a.y * factor, z: a.z * factor)
  }

  @inlinable @inline(__always)
  static func / (a: EarthVector, divisor: Double) -> EarthVector {
    EarthVector(x: a.x / divisor, y: a.y / divisor, z: a.z / divisor)
  }

  @inlinable @inline(__always)
  package func dot(_ other: EarthVector) -> Double { x * other.x + y * other.y + z * other.z }

  @inlinable @inline(__always)
  func cross(_ other: EarthVector) -> EarthVector {
    EarthVector(x: y * other.z - z * other.y, y: z * other.x - x * other.z, z: x * other.y - y * other.x)
  }

  @inlinable @inline(__always)
  package var length: Double { dot(self).squareRoot() }

  /// The product with the matrix a²D, where D = diag(a⁻², a⁻², b⁻²). For a point of the surface, `scaled` is a vector
  /// along the outward normal.
  @inlinable @inline(__always)
  var scaled: EarthVector {
    EarthVector(x: x, y: y, z: z * (1 + Ellipsoid.secondEccentricitySquared))
  }

  /// The position of a point of the surface, in degrees: tan φ = z / ((1 − e²) √(x² + y²)), which is exact on the
  /// surface.
  var position: (latitude: Double, longitude: Double) {
    let axial = (x * x + y * y).squareRoot()
    return (
      Trigonometry.atan2Degrees(z, Ellipsoid.axisRatioSquared * axial),
      Trigonometry.atan2Degrees(y, x)
    )
  }
}
