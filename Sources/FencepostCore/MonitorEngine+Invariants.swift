#if FENCEPOST_INVARIANTS
  package import FencepostKernel

  extension MonitorEngine {
    /// Checks every invariant of the page Architecture that can be computed.
    ///
    /// - Complexity: O(conditions × conditions that overlap)
    package func checkInvariants() throws(Invariant.Broken) {
      try table.checkInvariants()
      try tracker.checkInvariants(table)
      try delivery.checkInvariants(table)
    }
  }
#endif
