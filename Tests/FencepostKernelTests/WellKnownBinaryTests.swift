import Foundation
import Testing

@testable import FencepostKernel

@Suite struct WellKnownBinaryTests {
  /// Bytes from hexadecimal digits; spaces are ignored.
  private func bytes(_ text: String) -> [UInt8] {
    let digits = text.filter { !$0.isWhitespace }
    return stride(from: 0, to: digits.count, by: 2).map { number in
      let start = digits.index(digits.startIndex, offsetBy: number)
      return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16)!
    }
  }

  private func corners(_ parts: [[[Corner]]]) -> ShapeVertices { ShapeVertices(parts: parts) }

  /// The output of PostGIS' ST_AsBinary and ST_AsEWKB for LINESTRING(30 10, 10 30), with z, m and both, in both byte
  /// orders.
  @Test func eachDialectIsTheSameLine() throws {
    let x = "403e000000000000"
    let y = "4024000000000000"
    let zero = "0000000000000000"
    func swapped(_ number: String) -> String {
      stride(from: 14, through: 0, by: -2).map { String(Array(number)[$0...$0 + 1]) }.joined()
    }
    let expected = WellKnownBinary.Geometry(
      isPolygon: false, vertices: ShapeVertices(lines: [[(10, 30), (30, 10)]]))
    for (big, little, extra) in [
      ("00000002", "02000000", 0), ("000003ea", "ea030000", 1), ("000007d2", "d2070000", 1),
      ("00000bba", "ba0b0000", 2),
      ("80000002", "02000080", 1), ("40000002", "02000040", 1), ("c0000002", "020000c0", 2),
      ("20000002 000010e6", "02000020 e6100000", 0), ("a0000002 00001373", "020000a0 73130000", 1),
    ] {
      let rest = String(repeating: zero, count: extra)
      #expect(try WellKnownBinary.decode(bytes("00 \(big) 00000002 \(x)\(y)\(rest) \(y)\(x)\(rest)")) == expected)
      let (a, b) = (swapped(x), swapped(y))
      #expect(try WellKnownBinary.decode(bytes("01 \(little) 02000000 \(a)\(b)\(rest) \(b)\(a)\(rest)")) == expected)
    }
    // The shape is written in the simplest form of well-known binary.
    let plain = bytes("01 02000000 02000000 \(swapped(x))\(swapped(y)) \(swapped(y))\(swapped(x))")
    #expect(WellKnownBinary.encode(expected) == plain)
  }

  @Test func membersMayHaveTheirOwnOrder() throws {
    let triangle = { (order: String) in
      let number = { (value: Double) in
        withUnsafeBytes(of: order == "00" ? value.bitPattern.bigEndian : value.bitPattern.littleEndian) {
          $0.map { String(format: "%02x", $0) }.joined()
        }
      }
      let word = { (value: UInt32) in
        withUnsafeBytes(of: order == "00" ? value.bigEndian : value.littleEndian) {
          $0.map { String(format: "%02x", $0) }.joined()
        }
      }
      return order + word(3) + word(1) + word(3) + [0.0, 0, 1, 0, 1, 1].map(number).joined()
    }
    let geometry = try WellKnownBinary.decode(bytes("00 00000006 00000002" + triangle("01") + triangle("00")))
    let ring: [Corner] = [(0, 0), (0, 1), (1, 1)]
    #expect(geometry == WellKnownBinary.Geometry(isPolygon: true, vertices: corners([[ring], [ring]])))
  }

  @Test func roundTrips() throws {
    var random = SeededGenerator("well-known binary")
    for _ in 0..<300 {
      let isPolygon = random.chance(0.6)
      let parts = (0..<random.integer(1...4)).map { _ in
        (0..<random.integer(1...3)).map { _ in
          (0..<random.integer(2...9)).map { _ -> Corner in (random.uniform(-90...90), random.uniform(-180...180)) }
        }
      }
      let vertices = isPolygon ? corners(parts) : ShapeVertices(lines: parts.flatMap { $0 })
      let geometry = WellKnownBinary.Geometry(isPolygon: isPolygon, vertices: vertices)
      let bytes = WellKnownBinary.encode(geometry)
      let back = try WellKnownBinary.decode(bytes)
      #expect(back.isPolygon == isPolygon)
      // Decoding returns closed rings, so close the expected rings.
      let closed = parts.map { $0.map { isPolygon ? $0 + [$0[0]] : $0 } }
      #expect(back.vertices == (isPolygon ? corners(closed) : vertices))
      #expect(WellKnownBinary.encode(back) == bytes)
      if isPolygon,
        let shape = try? GeodesicShape.reading(ShapeDefinition(.polygon(buffer: 0, isOriented: false), vertices))
      {
        // Writing and reading preserves the vertices bit for bit.
        #expect(WellKnownBinary.encode(shape.definition) == bytes)
      }
      // Bytes that are truncated anywhere are refused, and the position in the error lies within the bytes.
      for end in 0..<bytes.count {
        do throws(WellKnownBinary.Defect) {
          _ = try WellKnownBinary.decode(Array(bytes[..<end]))
          Issue.record("accepted \(end) of \(bytes.count) bytes")
        } catch {
          #expect(error.offset <= end)
        }
      }
      // Whichever byte is changed, the input is either read or refused; it never traps.
      for _ in 0..<50 {
        var changed = bytes
        for _ in 0..<random.integer(1...4) {
          changed[random.integer(0...bytes.count - 1)] = UInt8(random.integer(0...255))
        }
        _ = try? WellKnownBinary.decode(changed)
      }
    }
  }

  @Test func whatIsRefusedIsNamed() {
    let line = "01 02000000 01000000 0000000000000000 0000000000000000"
    for (text, reason, offset) in [
      ("", "the bytes end within a header", 0),
      ("02 02000000", "the byte order is 2; must be 0 (big endian) or 1 (little endian)", 0),
      ("01 07000000 00000000", "GeometryCollection is not a Polygon, MultiPolygon, LineString or MultiLineString", 1),
      ("01 04000000 00000000", "MultiPoint is not a Polygon, MultiPolygon, LineString or MultiLineString", 1),
      ("01 0a000000 00000000", "CurvePolygon is not a Polygon, MultiPolygon, LineString or MultiLineString", 1),
      ("01 63000000 00000000", "99 is not a geometry type", 1),
      ("01 a20f0000 00000000", "4002 is not a geometry type", 1),
      ("01 ea030080 00000000", "2147484650 is not a geometry type", 1),
      ("01 02000020 110f0000 00000000", "the spatial reference is 3857; positions must be WGS 84 (4326)", 5),
      ("01 02000000 ffffffff", "4294967295 vertices do not fit into the 0 remaining bytes", 5),
      ("01 03000000 ffffffff 00000000", "4294967295 rings do not fit into the 4 remaining bytes", 5),
      ("01 06000000 00000080", "2147483648 polygons do not fit into the 0 remaining bytes", 5),
      ("01 06000000 01000000 \(line)", "a LineString stands in a MultiPolygon", 10),
      ("\(line) 00", "1 bytes follow the geometry", 25),
    ] {
      do throws(WellKnownBinary.Defect) {
        _ = try WellKnownBinary.decode(bytes(text))
        Issue.record("accepted \(text)")
      } catch {
        #expect(error.reason == reason && error.offset == offset, "\(error.message)")
      }
    }
  }

  /// Empty geometries can be read, but an empty shape is refused.
  @Test func emptyOnesAreReadAndRefusedAsShapes() throws {
    for text in ["01 03000000 00000000", "01 06000000 00000000", "01 03000000 01000000 00000000"] {
      let geometry = try WellKnownBinary.decode(bytes(text))
      #expect(WellKnownBinary.encode(geometry) == bytes(text))
      #expect(throws: ShapeDefect.self) {
        try GeodesicShape.reading(ShapeDefinition(.polygon(buffer: 0, isOriented: false), geometry.vertices))
      }
    }
  }
}
