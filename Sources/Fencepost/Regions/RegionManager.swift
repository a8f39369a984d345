/// Core Location's older interface for monitoring regions, with methods to start and stop monitoring, and a delegate.
///
/// ```swift
/// let service = try RegionService(engine: MonitorEngine())   // the host feeds it
/// let manager = RegionManager(sharing: service)
/// manager.delegate = greeter
/// manager.startMonitoring(for: CircularRegion(center: office, radius: 150, identifier: "office"))
/// try service.feed(fix)                                      // greeter hears of it before this returns
/// ```
///
/// Managers that share a ``RegionService`` share its regions. A manager belongs to the thread or actor of its service,
/// just as a Core Location manager belongs to a run loop. A method that causes calls of delegate methods makes these
/// calls before it returns, in the order of their causes.
public final class RegionManager {
  /// The state that this manager shares with other managers.
  public let service: RegionService
  public weak var delegate: (any RegionManagerDelegate)?

  var isUpdatingLocation = false
  /// The filter for significant changes; `nil` while significant changes are not requested.
  var significantChanges: SignificantChangeFilter?

  public init(sharing service: RegionService) {
    self.service = service
    service.register(self)
  }

  // MARK: Regions

  /// Registers a region; a region of the same type and identifier is replaced.
  ///
  /// After the registration, calls `didStartMonitoringFor`, and calls `didDetermineState` as soon as the state is
  /// known. If the region cannot be monitored, it is not registered, and `monitoringDidFailFor` reports
  /// `regionMonitoringFailure`. If the user has not allowed monitoring, the region is registered,
  /// `monitoringDidFailFor` reports `regionMonitoringDenied`, and monitoring starts as soon as the user allows it.
  /// Settings are copied.
  public func startMonitoring(for region: Region) { service.start(region, for: self) }

  /// Removes a region, even if another manager has registered it.
  public func stopMonitoring(for region: Region) { service.stop(region) }

  /// The regions of all managers that share the service.
  public var monitoredRegions: Set<Region> { service.monitoredRegions }

  /// Requests the current state of a region; only this manager's delegate receives the answer, by `didDetermineState`.
  ///
  /// If the region is monitored, the answer is the region's observed state. For a circle that is not monitored, the
  /// answer is the side of the last fix, or `unknown` if there is no fix. For a beacon region that is not monitored,
  /// the answer is `unknown`.
  public func requestState(for region: Region) { service.requestState(of: region, for: self) }

  /// The largest radius of a circular region, in metres.
  public var maximumRegionMonitoringDistance: Double { service.maximumRadius }

  /// Whether this manager can monitor regions of a given type, ``CircularRegion`` or ``BeaconRegion``.
  public func isMonitoringAvailable(for type: Region.Type) -> Bool {
    ConditionKind.allCases.contains { $0.region?.type == type && !service.unavailableKinds.contains($0) }
  }

  // MARK: Authorization

  public var authorizationStatus: AuthorizationStatus { service.authorizationStatus }

  /// Asks the host for the user's permission, unless the host has already answered. See
  /// ``RegionService/onAuthorizationRequest``.
  public func requestAlwaysAuthorization() { service.requestAuthorization() }

  // MARK: Positions

  /// From now on every fed fix causes a call of `didUpdateLocations`.
  public func startUpdatingLocation() {
    isUpdatingLocation = true
    service.tellOfDenial(self)
  }

  public func stopUpdatingLocation() { isUpdatingLocation = false }

  /// From now on, significant changes cause calls of `didUpdateLocations`: for the next fix, and then for each fix that
  /// is at least 500 m away from the last reported fix and at least 300 s later. Only this manager's delegate receives
  /// these calls.
  public func startMonitoringSignificantLocationChanges() {
    if significantChanges == nil { significantChanges = SignificantChangeFilter() }
    service.tellOfDenial(self)
  }

  public func stopMonitoringSignificantLocationChanges() { significantChanges = nil }
}
