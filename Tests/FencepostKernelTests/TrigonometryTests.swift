import Testing

@testable import FencepostKernel

@Suite struct TrigonometryTests {
  /// The largest error of each function over the golden table, in ulp, is within the documented bound.
  @Test func staysWithinTheStatedBounds() throws {
    let bounds = [
      "sinDegrees": 1, "cosDegrees": 1, "sin": 1, "cos": 1, "atan2": 2.5, "atan2Degrees": 3,
    ]
    var worst: [String: Double] = [:]
    for row in try Golden.rows("trigonometry.tsv") {
      let first = try #require(Double(row[1]))
      let second = try #require(Double(row[2]))
      let value = try #require(Double(row[3]))
      let tail = try #require(Double(row[4]))
      let ours =
        switch row[0] {
        case "sinDegrees": Trigonometry.sincosDegrees(first).sine
        case "cosDegrees": Trigonometry.sincosDegrees(first).cosine
        case "sin": Trigonometry.sincos(first).sine
        case "cos": Trigonometry.sincos(first).cosine
        case "atan2": Trigonometry.atan2(first, second)
        default: Trigonometry.atan2Degrees(first, second)
        }
      let error = value == 0 ? (ours == 0 ? 0 : .infinity) : ((ours - value) - tail).magnitude / value.ulp
      worst[row[0]] = max(worst[row[0]] ?? 0, error)
      let bound = try #require(bounds[row[0]])
      #expect(error <= bound, "\(row) gave \(ours)")
    }
    print("worst errors in ulp:", worst.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })
    #expect(worst.count == bounds.count)
  }

  @Test(arguments: -8...8) func multiplesOfNinetyAreExact(_ quarter: Int) {
    let value = Trigonometry.sincosDegrees(Double(quarter) * 90)
    let sines: [Double] = [0, 1, 0, -1]
    #expect(value.sine == sines[(quarter + 8) % 4])
    #expect(value.cosine == sines[(quarter + 9) % 4])
    #expect(value.sine.magnitude == 1 || value.sine.sign == .plus)
    #expect(value.cosine.magnitude == 1 || value.cosine.sign == .plus)
  }

  @Test func atan2IsExactOnAxesAndDiagonals() {
    #expect(Trigonometry.atan2Degrees(0, 1) == 0)
    #expect(Trigonometry.atan2Degrees(2, 0) == 90)
    #expect(Trigonometry.atan2Degrees(0, -3) == 180)
    #expect(Trigonometry.atan2Degrees(-0.0, -3) == 180)
    #expect(Trigonometry.atan2Degrees(-1e-30, -1) == 180)
    #expect(Trigonometry.atan2Degrees(-2, 0) == -90)
    #expect(Trigonometry.atan2Degrees(-2, -2) == -135)
    #expect(Trigonometry.atan2Degrees(0, 0) == 0)
  }

  @Test func symmetriesHoldBitForBit() {
    var random = SeededGenerator("symmetries of the trigonometry")
    for _ in 0..<20_000 {
      let angle = random.uniform(-720...720)
      let value = Trigonometry.sincosDegrees(angle)
      let mirrored = Trigonometry.sincosDegrees(-angle)
      #expect(value.sine == -mirrored.sine && value.cosine == mirrored.cosine)
      let x = random.uniform(-1...1)
      let y = random.uniform(-1...1)
      #expect(Trigonometry.atan2(y, x) == -Trigonometry.atan2(-y, x))
      let back = Trigonometry.sincos(Trigonometry.atan2(y, x))
      #expect((back.sine * x - back.cosine * y).magnitude < 1e-15)
    }
  }

  @Test(arguments: hostileNumbers) func hostileNumbersDoNotTrap(_ number: Double) {
    let pairs = [
      Trigonometry.sincosDegrees(number), Trigonometry.sincos(number), Trigonometry.sincosDegrees(number, tail: number),
    ]
    for value in pairs {
      #expect(number.isFinite || (value.sine.isNaN && value.cosine.isNaN))
    }
    for other in hostileNumbers {
      let angle = Trigonometry.atan2(number, other)
      let degrees = Trigonometry.atan2Degrees(number, other)
      #expect(angle.isNaN || angle.magnitude <= .pi)
      #expect(degrees.isNaN || degrees.magnitude <= 180)
      if number.isNaN || other.isNaN { #expect(angle.isNaN && degrees.isNaN) }
    }
  }
}
