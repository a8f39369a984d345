/// The constants of `Ellipsoid` and their combinations as the geodesic algorithms need them: literals, so that they
/// are folded into the code of every build.
enum Wgs84 {
  /// Equatorial radius, metres.
  @inline(__always) static var a: Double { 6_378_137.0 }
  /// Polar semi-axis, metres.
  @inline(__always) static var b: Double { 6_356_752.314245179 }
  /// Flattening.
  @inline(__always) static var f: Double { 1 / 298.257223563 }
  /// 1 − f.
  @inline(__always) static var f1: Double { 0.9966471893352525 }
  /// Second eccentricity squared e′².
  @inline(__always) static var ep2: Double { 0.006739496742276435 }
  /// π.
  @inline(__always) static var pi: Double { 3.141592653589793 }
  /// Stands for the cosine of ±90° so that no quotient is 0/0; its square does not underflow.
  @inline(__always) static var tiny: Double { 1.4916681462400413e-154 }
  /// π (1 − f): up to this longitude difference the equator itself is the shortest path, radians.
  @inline(__always) static var equatorialReach: Double { 3.131059488236545 }
  /// ε of the meridians, where k² = e′²: it equals the third flattening.
  @inline(__always) static var meridianEpsilon: Double { 0.0016792203863837047 }
}
