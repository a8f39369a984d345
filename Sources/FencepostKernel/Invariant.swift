#if FENCEPOST_INVARIANTS
  /// The invariants of a value between two calls, computed.
  ///
  /// Only the builds of the tests have these checks; the released library does not. Each part has its
  /// `checkInvariants()` beside its private state; the page Architecture lists them.
  package enum Invariant {
    /// A violated invariant: a defect of this library.
    package struct Broken: Error, CustomStringConvertible {
      package let description: String
    }

    package static func hold(_ holds: Bool, _ what: @autoclosure () -> String) throws(Broken) {
      if !holds { throw Broken(description: "invariant: " + what()) }
    }
  }
#endif
