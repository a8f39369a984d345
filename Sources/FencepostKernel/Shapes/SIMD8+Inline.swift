// What the standard library's pointwise functions do, in every build within the caller.
extension SIMD8 where Scalar == Float {
  @inline(__always)
  func atLeast(_ least: Float) -> SIMD8 { replacing(with: least, where: self .< least) }

  @inline(__always)
  func atMost(_ most: Float) -> SIMD8 { replacing(with: most, where: self .> most) }

  @inline(__always)
  func orLarger(_ other: SIMD8) -> SIMD8 { replacing(with: other, where: self .< other) }

  /// The number of the least element.
  @inline(__always)
  var leastIndex: Int {
    var index = 0
    for other in 1..<8 where self[other] < self[index] { index = other }
    return index
  }
}
