/// Cubes of space around the Earth, numbered along each axis; number 0 starts at −2²³ metres. The cache key of a cube
/// is computed from its three numbers, one for each axis.
enum SpaceCubes {
  private static let origin = 0x1p23

  /// The numbers of the cube that contains a position.
  struct Numbers {
    fileprivate var x, y, z: Int64

    /// - Parameters:
    ///   - position: A position within the range of the numbered cubes.
    ///   - edge: The length of the cube's edges, in metres: a power of two, at least 16.
    @inline(__always)
    init(_ position: EarthVector, edge: Double) {
      let density = 1 / edge
      x = Int64((position.x + origin) * density)
      y = Int64((position.y + origin) * density)
      z = Int64((position.z + origin) * density)
    }

    /// The key of the larger cube that contains this cube and whose edge is 2^`doubled` times as long; never 0.
    ///
    /// - Parameter level: At most 14; the keys of different levels differ.
    @inline(__always)
    func key(level: Int, doubled: Int) -> UInt64 {
      let (x, y, z) = (x &>> Int64(doubled), y &>> Int64(doubled), z &>> Int64(doubled))
      return UInt64(truncatingIfNeeded: Int64(level &+ 1) &<< 60 | x &<< 40 | y &<< 20 | z)
    }
  }

  /// The key and the centre of the cube that contains a position; see ``Numbers``.
  @inline(__always)
  static func cube(_ position: EarthVector, level: Int, edge: Double) -> (key: UInt64, centre: EarthVector) {
    let numbers = Numbers(position, edge: edge)
    let centre = EarthVector(
      x: (Double(numbers.x) + 0.5) * edge - origin, y: (Double(numbers.y) + 0.5) * edge - origin,
      z: (Double(numbers.z) + 0.5) * edge - origin)
    return (numbers.key(level: level, doubled: 0), centre)
  }

  /// Whether a position lies in the part of space that is divided into numbered cubes.
  @inline(__always)
  static func isNumbered(_ position: EarthVector) -> Bool {
    max(position.x.magnitude, position.y.magnitude, position.z.magnitude) < origin
  }
}
