package import FencepostKernel

#if FENCEPOST_INVARIANTS
  extension MonitorEngine {
    /// Every invariant of the page Architecture that can be computed.
    ///
    /// - Complexity: O(conditions × conditions that overlap)
    package func checkInvariants() throws(Invariant.Broken) {
      try table.checkInvariants()
      try Invariant.hold(seen == table.changes.version, "each change of the table was seen")
      try checkDetection()
      try delivery.checkInvariants(table)
      try journal.checkInvariants()
    }
  }
#endif
