/// Whether the device is inside or outside a region. The raw values are those of Core Location.
@frozen
public enum RegionState: Int, Sendable, Hashable {
  case unknown = 0
  case inside = 1
  case outside = 2

  init(_ state: Event.State) {
    switch state {
    case .satisfied: self = .inside
    case .unsatisfied: self = .outside
    case .unknown, .unmonitored: self = .unknown
    }
  }
}

/// The user's permission. The raw values are those of Core Location.
@frozen
public enum AuthorizationStatus: Int32, Sendable, Hashable {
  /// The user has not answered yet: regions are registered, and are monitored as soon as the user allows it.
  case notDetermined = 0
  /// Monitoring is not allowed, and the user cannot change this.
  case restricted = 1
  case denied = 2
  case authorizedAlways = 3
  case authorizedWhenInUse = 4

  /// Whether regions are monitored.
  public var isAuthorized: Bool { self == .authorizedAlways || self == .authorizedWhenInUse }
}

/// Why a region is not monitored, or why no positions are available. The raw values are those of Core Location.
@frozen
public enum LocationError: Int, Error, Sendable, Hashable {
  case locationUnknown = 0
  case denied = 1
  case network = 2
  case headingFailure = 3
  /// The user does not allow monitoring; the region stays registered, and is monitored as soon as the user allows it.
  case regionMonitoringDenied = 4
  /// This region cannot be monitored: it is too large, over the limit, malformed, or of a kind that is not available.
  case regionMonitoringFailure = 5
  case regionMonitoringSetupDelayed = 6
  case regionMonitoringResponseDelayed = 7
  case rangingUnavailable = 16
  case rangingFailure = 17
  case promptDeclined = 18
}

/// The methods that a ``RegionManager`` calls. Every method is optional.
///
/// A crossing always calls `didDetermineState`; it also calls `didEnterRegion` or `didExitRegion`, unless the region's
/// settings exclude that call. If the state was unknown before, for example when a region is added around the device,
/// only `didDetermineState` is called.
public protocol RegionManagerDelegate: AnyObject {
  func regionManager(_ manager: RegionManager, didEnterRegion region: Region)
  func regionManager(_ manager: RegionManager, didExitRegion region: Region)
  func regionManager(_ manager: RegionManager, didDetermineState state: RegionState, for region: Region)
  func regionManager(_ manager: RegionManager, didStartMonitoringFor region: Region)
  func regionManager(_ manager: RegionManager, monitoringDidFailFor region: Region?, withError error: LocationError)
  func regionManager(_ manager: RegionManager, didFailWithError error: LocationError)
  func regionManager(_ manager: RegionManager, didChangeAuthorization status: AuthorizationStatus)
  func regionManager(_ manager: RegionManager, didUpdateLocations locations: [Fix])
}

extension RegionManagerDelegate {
  public func regionManager(_ manager: RegionManager, didEnterRegion region: Region) {}
  public func regionManager(_ manager: RegionManager, didExitRegion region: Region) {}
  public func regionManager(_ manager: RegionManager, didDetermineState state: RegionState, for region: Region) {}
  public func regionManager(_ manager: RegionManager, didStartMonitoringFor region: Region) {}
  public func regionManager(
    _ manager: RegionManager, monitoringDidFailFor region: Region?, withError error: LocationError
  ) {}
  public func regionManager(_ manager: RegionManager, didFailWithError error: LocationError) {}
  public func regionManager(_ manager: RegionManager, didChangeAuthorization status: AuthorizationStatus) {}
  public func regionManager(_ manager: RegionManager, didUpdateLocations locations: [Fix]) {}
}
