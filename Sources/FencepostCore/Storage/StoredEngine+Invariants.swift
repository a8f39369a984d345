#if FENCEPOST_INVARIANTS
  package import FencepostKernel

  extension StoredEngine {
    /// Every invariant of the engine that can be computed.
    package func checkInvariants() throws(Invariant.Broken) {
      try engine.checkInvariants()
    }
  }
#endif
