#if FENCEPOST_INVARIANTS
  /// The invariants of a value between two calls, computed.
  ///
  /// Only the builds of the tests have these checks; the library that is released has none of them. Each part has its
  /// `checkInvariants()` beside its private state; the page Architecture lists them.
  package enum Invariant {
    /// An invariant that does not hold: a defect of this library.
    package struct Broken: Error, CustomStringConvertible {
      package let description: String
    }

    package static func hold(_ holds: Bool, _ what: @autoclosure () -> String) throws(Broken) {
      if !holds { throw Broken(description: "invariant: " + what()) }
    }
  }
#endif
