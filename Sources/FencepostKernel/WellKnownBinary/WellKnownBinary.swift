/// Shapes as well-known binary: Polygon, MultiPolygon, LineString and MultiLineString.
///
/// Shapes are written as in ISO/IEC 13249-3:2016, section 5.1.46: little endian, with only x (longitude) and y
/// (latitude), and with closed rings. Shapes are read in either byte order. Shapes with z or m may be in ISO WKB (types
/// from 1000, 2000 and 3000 on) or in PostGIS's EWKB (flags in the type). The spatial reference of EWKB must be WGS 84.
public enum WellKnownBinary {
  /// The numbers of the geometry types in well-known binary.
  enum GeometryType: UInt32 {
    case point = 1
    case lineString, polygon, multiPoint, multiLineString, multiPolygon, geometryCollection
    case circularString, compoundCurve, curvePolygon, multiCurve, multiSurface, curve, surface, polyhedralSurface, tin
    case triangle

    var name: String {
      switch self {
      case .point: "Point"
      case .lineString: "LineString"
      case .polygon: "Polygon"
      case .multiPoint: "MultiPoint"
      case .multiLineString: "MultiLineString"
      case .multiPolygon: "MultiPolygon"
      case .geometryCollection: "GeometryCollection"
      case .circularString: "CircularString"
      case .compoundCurve: "CompoundCurve"
      case .curvePolygon: "CurvePolygon"
      case .multiCurve: "MultiCurve"
      case .multiSurface: "MultiSurface"
      case .curve: "Curve"
      case .surface: "Surface"
      case .polyhedralSurface: "PolyhedralSurface"
      case .tin: "TIN"
      case .triangle: "Triangle"
      }
    }
  }

  /// A shape that was read from well-known binary.
  public struct Geometry: Sendable, Equatable {
    /// True if the shape has rings, and false if it has lines.
    public var isPolygon: Bool
    public var vertices: ShapeVertices
  }

  /// The reason why bytes cannot be read as a shape, and the position of the fault in the bytes.
  public struct Defect: Error, Sendable, Equatable {
    /// The position of the byte at which the fault was found, counted from 0.
    public var offset: Int
    /// The description of the defect, without the byte offset.
    public var reason: String

    /// One line.
    public var message: String { "well-known binary: \(reason), at byte \(offset)" }
  }

  /// The flags of the extended form of well-known binary (EWKB).
  enum Extension {
    static var z: UInt32 { 0x8000_0000 }
    static var m: UInt32 { 0x4000_0000 }
    static var spatialReference: UInt32 { 0x2000_0000 }
  }

  /// Spatial references whose coordinates are WGS 84 longitudes and latitudes; 0 means that the reference is not
  /// stated.
  static let spatialReferences: [UInt32] = [0, 4326, 4979]
}
