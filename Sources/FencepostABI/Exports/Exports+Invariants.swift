#if FENCEPOST_INVARIANTS
  import FencepostCore

  /// Used only by the tests, and not part of the header: ends the program if an invariant of a monitor is violated.
  @_cdecl("fencepost_check_invariants")
  public func checkInvariants(of monitor: OpaquePointer?) {
    do {
      let broken: String? = try MonitorHandle.borrow(monitor).withStored { stored throws(MonitorError) in
        do { try stored.checkInvariants() } catch { return "\(error)" }
        return nil
      }
      if let broken { fatalError(broken) }
    } catch {
      fatalError("\(error)")
    }
  }

  /// Used only by the tests, and not part of the header: ends the program if an invariant of a fleet is violated.
  @_cdecl("fencepost_check_fleet_invariants")
  public func checkInvariants(ofFleet fleet: OpaquePointer?) {
    do {
      let broken: String? = try FleetHandle.borrow(fleet).call { engine throws(MonitorError) in
        do { try engine.checkInvariants() } catch { return "\(error)" }
        return nil
      }
      if let broken { fatalError(broken) }
    } catch {
      fatalError("\(error)")
    }
  }
#endif
