#if FENCEPOST_INVARIANTS
  /// Checks of a value's invariants, which must hold between any two calls.
  ///
  /// Only test builds contain these checks; the released library does not. Each part of the engine has a method
  /// `checkInvariants()` next to its private state; the Architecture page lists these methods.
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
