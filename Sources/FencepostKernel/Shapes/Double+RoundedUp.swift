extension Double {
  /// Returns the number rounded up to an integer; the number must be from 0 to 2⁵³. The standard library's `rounded` is
  /// not used because in debug builds it calls the system's math library.
  package var roundedUp: Int64 {
    let whole = Int64(self)
    return Double(whole) < self ? whole + 1 : whole
  }
}
