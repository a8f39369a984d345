// These functions equal functions of the standard library for vectors, but every build inlines them into the caller.
extension SIMD8 where Scalar == Float {
  @inline(__always)
  func atLeast(_ least: Float) -> SIMD8 { replacing(with: least, where: self .< least) }

  @inline(__always)
  func atMost(_ most: Float) -> SIMD8 { replacing(with: most, where: self .> most) }

  @inline(__always)
  func orLarger(_ other: SIMD8) -> SIMD8 { replacing(with: other, where: self .< other) }

  @inline(__always)
  func orLess(_ other: SIMD8) -> SIMD8 { replacing(with: other, where: other .< self) }

  @inline(__always)
  var magnitudes: SIMD8 { orLarger(self * -1) }

  @inline(__always)
  var leastElement: Float {
    let four = lowHalf.replacing(with: highHalf, where: highHalf .< lowHalf)
    let two = four.lowHalf.replacing(with: four.highHalf, where: four.highHalf .< four.lowHalf)
    return Swift.min(two.x, two.y)
  }

  /// The index of the smallest element.
  @inline(__always)
  var leastIndex: Int {
    var index = 0
    for other in 1..<8 where self[other] < self[index] { index = other }
    return index
  }

  /// The index of the greatest element.
  @inline(__always)
  var greatestIndex: Int {
    var index = 0
    for other in 1..<8 where self[other] > self[index] { index = other }
    return index
  }
}
