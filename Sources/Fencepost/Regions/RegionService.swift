/// The shared state of region managers, and the inputs of the host: positions, beacons, the passing of time, and the
/// user's permission.
///
/// The service monitors regions with its own engine; if this engine has a storage, registered regions still exist after
/// a restart. The service reads no clock and starts no task. Not `Sendable`: use it, and its managers, from one thread
/// or actor.
///
/// An event counts as handled when every manager has received it; if a crash interrupts its handling, the event is
/// redelivered after the restart. While no manager exists, events wait.
public final class RegionService {
  /// How regions are monitored.
  public struct Settings: Sendable, Hashable {
    /// When a crossing counts.
    public var policy: TransitionPolicy
    /// The maximum number of regions of both types together; `nil` means that there is no limit.
    public var regionLimit: Int?
    /// The largest radius that is accepted, in metres.
    public var maximumRadius: Double

    public init(
      policy: TransitionPolicy = .standard, regionLimit: Int? = 20, maximumRadius: Double = .infinity
    ) {
      self.policy = policy
      self.regionLimit = regionLimit
      self.maximumRadius = maximumRadius
    }
  }

  public let settings: Settings
  /// Called when a manager asks for authorization and the user has not answered yet: ask the user, and then call
  /// ``setAuthorizationStatus(_:at:)``, either during this call or later.
  public var onAuthorizationRequest: ((RegionService) -> Void)?
  public private(set) var authorizationStatus: AuthorizationStatus

  private var stored: StoredEngine
  private var managers: [WeakManager] = []
  private var calls: [() -> Void] = []
  private var isTelling = false

  private struct WeakManager {
    weak var manager: RegionManager?
  }

  /// - Parameter engine: An engine that no one but the service uses; conditions that are not regions are not reported.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the policy is invalid, the region limit is below 1, or
  ///   the maximum radius is not above 0.
  public convenience init(engine: MonitorEngine, settings: Settings = Settings()) throws(MonitorError) {
    try self.init(StoredEngine(engine), settings: settings)
  }

  /// Continues from the state of an engine that may have a storage. See ``init(engine:settings:)``.
  public init(_ stored: consuming StoredEngine, settings: Settings = Settings()) throws(MonitorError) {
    if let defect = settings.policy.defect { throw .invalidArgument(defect) }
    if let limit = settings.regionLimit, limit < 1 {
      throw .invalidArgument("region limit is \(limit); must be at least 1, or unset")
    }
    guard settings.maximumRadius > 0 else {
      throw .invalidArgument("maximum radius is \(settings.maximumRadius); must be above 0 metres")
    }
    self.settings = settings
    self.stored = stored
    authorizationStatus = AuthorizationStatus(self.stored.engine.hostFlags)
    self.stored.call { $0.abandon() }
  }

  deinit {
    // Changes that cannot be saved now are lost, as in a crash.
    try? stored.close()
  }

  /// A copy of the service's whole state, for inspection.
  public var state: MonitorEngine { stored.engine }

  /// Saves everything and releases the name of a stored engine; inputs fed afterwards are not saved.
  public func close() throws(MonitorError) { try stored.close() }

  // MARK: - Inputs of the host

  /// Feeds one fix. See ``MonitorEngine/feed(_:)-(Fix)``.
  public func feed(_ fix: Fix) throws(MonitorError) {
    try stored.feed(fix)
    if fix.isUsable, authorizationStatus.isAuthorized {
      for manager in living {
        let isSignificant = manager.significantChanges?.accepts(fix) ?? false
        if manager.isUpdatingLocation || isSignificant {
          tell(manager) { $0.regionManager($1, didUpdateLocations: [fix]) }
        }
      }
    }
    tellEvents()
  }

  /// Feeds one scan report. See ``MonitorEngine/feed(_:at:)``.
  public func feed(_ sightings: some Sequence<BeaconSighting>, at time: Timestamp) throws(MonitorError) {
    try stored.call { engine throws(MonitorError) in try engine.feed(sightings, at: time) }
    tellEvents()
  }

  /// Declares whether the host scans for beacons. See ``MonitorEngine/setScanning(_:at:)``.
  public func setScanning(_ isOn: Bool, at time: Timestamp) throws(MonitorError) {
    try stored.call { engine throws(MonitorError) in try engine.setScanning(isOn, at: time) }
    tellEvents()
  }

  /// Advances the clock of the service to `time`. See ``MonitorEngine/advance(to:)``.
  public func advance(to time: Timestamp) throws(MonitorError) {
    try stored.call { engine throws(MonitorError) in try engine.advance(to: time) }
    tellEvents()
  }

  /// Sets the user's permission from now on; calls `didChangeAuthorization` if it has changed.
  public func setAuthorizationStatus(_ status: AuthorizationStatus, at time: Timestamp) throws(MonitorError) {
    try setHost(status, unavailableKinds, at: time)
    let isNew = status != authorizationStatus
    authorizationStatus = status
    if isNew { for manager in living { tell(manager) { $0.regionManager($1, didChangeAuthorization: status) } } }
    tellEvents()
  }

  /// Declares which kinds of region cannot be monitored from now on.
  public func setUnavailable(_ kinds: Set<ConditionKind>, at time: Timestamp) throws(MonitorError) {
    try setHost(authorizationStatus, kinds, at: time)
    tellEvents()
  }

  /// Reports that the display has woken: for each beacon region that the device is inside, the state is reported if the
  /// region's settings request this.
  public func displayDidWake() {
    for (slot, region) in stored.engine.regions {
      guard let beacon = region as? BeaconRegion, beacon.notifyEntryStateOnDisplay,
        stored.engine.state(of: slot) == .satisfied
      else { continue }
      tellAll { $0.regionManager($1, didDetermineState: .inside, for: region) }
    }
    tellEvents()
  }

  /// Tells the managers that wait for positions that no position is available at present.
  public func positioningDidFail(_ error: LocationError) {
    for manager in living where manager.isUpdatingLocation || manager.significantChanges != nil {
      tell(manager) { $0.regionManager($1, didFailWithError: error) }
    }
    tellEvents()
  }

  private func setHost(
    _ status: AuthorizationStatus, _ kinds: Set<ConditionKind>, at time: Timestamp
  ) throws(MonitorError) {
    try stored.call { engine throws(MonitorError) in
      try engine.setHostCapabilities(status.flags, unsupported: kinds, at: time)
    }
  }

  // MARK: - Requests of the managers

  var maximumRadius: Double { settings.maximumRadius }

  var unavailableKinds: Set<ConditionKind> {
    Set(ConditionKind.allCases.filter { stored.engine.isUnsupported($0) })
  }

  var monitoredRegions: Set<Region> { Set(stored.engine.regions.map(\.region)) }

  func register(_ manager: RegionManager) {
    managers.removeAll { $0.manager == nil }
    managers.append(WeakManager(manager: manager))
  }

  func start(_ region: Region, for manager: RegionManager) {
    guard isAcceptable(region), add(region), let copy = registered(region)?.region else {
      tell(manager) {
        $0.regionManager($1, monitoringDidFailFor: region, withError: .regionMonitoringFailure)
      }
      return tellEvents()
    }
    if authorizationStatus == .denied || authorizationStatus == .restricted {
      tell(manager) { $0.regionManager($1, monitoringDidFailFor: copy, withError: .regionMonitoringDenied) }
    } else {
      tell(manager) { $0.regionManager($1, didStartMonitoringFor: copy) }
    }
    tellEvents()
  }

  private func isAcceptable(_ region: Region) -> Bool {
    if region.identifier.isEmpty || stored.engine.isUnsupported(region.subject.kind) { return false }
    if let circle = region as? CircularRegion, !(circle.radius <= settings.maximumRadius) { return false }
    guard registered(region) == nil, let limit = settings.regionLimit else { return true }
    return stored.engine.regions.count < limit
  }

  private func add(_ region: Region) -> Bool {
    let policy = settings.policy
    do throws(MonitorError) {
      try stored.call { engine throws(MonitorError) in
        try engine.add(
          region.subject.condition, identifier: region.conditionIdentifier, policy: policy, tag: region.tag)
      }
      return true
    } catch {
      return false
    }
  }

  func stop(_ region: Region) {
    stored.call { engine in _ = engine.remove(region.conditionIdentifier) }
    tellEvents()
  }

  func requestState(of region: Region, for manager: RegionManager) {
    let answer: RegionState
    if let (slot, _) = registered(region) {
      answer = RegionState(stored.engine.state(of: slot))
    } else if let circle = region as? CircularRegion, circle.circle.defect == nil,
      let fix = stored.engine.lastFix
    {
      answer = circle.contains(fix.coordinate) ? .inside : .outside
    } else {
      answer = .unknown
    }
    tell(manager) { $0.regionManager($1, didDetermineState: answer, for: region) }
    tellEvents()
  }

  func requestAuthorization() {
    if authorizationStatus == .notDetermined { onAuthorizationRequest?(self) }
  }

  func tellOfDenial(_ manager: RegionManager) {
    guard authorizationStatus == .denied || authorizationStatus == .restricted else { return }
    tell(manager) { $0.regionManager($1, didFailWithError: .denied) }
    tellEvents()
  }

  /// The registration of the region with a given type and identifier.
  private func registered(_ region: Region) -> (slot: UInt32, region: Region)? {
    guard let slot = stored.engine.table.slot(of: region.conditionIdentifier),
      let found = stored.engine.region(of: slot)
    else { return nil }
    return (slot, found)
  }

  // MARK: - Calling the delegates

  private var living: [RegionManager] { managers.compactMap(\.manager) }

  private func tell(
    _ manager: RegionManager, _ call: @escaping (any RegionManagerDelegate, RegionManager) -> Void
  ) {
    calls.append { [weak manager] in
      if let manager, let delegate = manager.delegate { call(delegate, manager) }
    }
  }

  private func tellAll(_ call: @escaping (any RegionManagerDelegate, RegionManager) -> Void) {
    for manager in living { tell(manager, call) }
  }

  /// Makes the pending delegate calls, and then the delegate calls for the pending events; an event counts as handled
  /// after its calls. If a delegate call causes further delegate calls, the further calls are made after the first call
  /// has returned.
  private func tellEvents() {
    guard !isTelling else { return }
    isTelling = true
    defer { isTelling = false }
    makeCalls()
    while !living.isEmpty, let entry = nextEntry() {
      tell(of: entry)
      makeCalls()
    }
  }

  private func makeCalls() {
    while !calls.isEmpty {
      let batch = calls
      calls = []
      for call in batch { call() }
    }
  }

  /// Commits the previous event and takes the next one.
  private func nextEntry() -> EventEntry? {
    stored.call { engine in
      var next: EventEntry?
      _ = engine.poll(limit: 1) { entry, _ in next = copy entry }
      return next
    }
  }

  private func tell(of entry: EventEntry) {
    guard let region = stored.engine.region(of: entry.slot), entry.cause != .diagnostic else { return }
    let state = RegionState(entry.state)
    guard state != .unknown else { return }
    // If the state was unknown before, no boundary was crossed.
    if !entry.notify.contains(.initial) {
      if state == .inside, region.notifyOnEntry {
        tellAll { $0.regionManager($1, didEnterRegion: region) }
      } else if state == .outside, region.notifyOnExit {
        tellAll { $0.regionManager($1, didExitRegion: region) }
      }
    }
    tellAll { $0.regionManager($1, didDetermineState: state, for: region) }
  }
}

extension AuthorizationStatus {
  /// The flags that are passed to the engine for this status.
  fileprivate var flags: Diagnostics {
    switch self {
    case .notDetermined: .authorizationRequestInProgress
    case .restricted: .authorizationRestricted
    case .denied: .authorizationDenied
    case .authorizedAlways, .authorizedWhenInUse: []
    }
  }

  /// The flags that were last passed to the engine.
  fileprivate init(_ flags: Diagnostics) {
    if flags.contains(.authorizationDenied) {
      self = .denied
    } else if flags.contains(.authorizationRestricted) {
      self = .restricted
    } else {
      self = flags.contains(.authorizationRequestInProgress) ? .notDetermined : .authorizedAlways
    }
  }
}
