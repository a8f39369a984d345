import FencepostKernel

/// The rules of the devices of a fleet. A tracker that evaluates many devices in turn loads the state of a rule when it
/// is first needed.
extension Tracker {
  /// Starts with the rules of another device, whose shapes and beacons are loaded.
  ///
  /// - Parameters:
  ///   - timed: The records of shapes with a timing.
  ///   - edges: See ``RuleStates/edges``.
  ///   - additions: See ``RuleStates/additions``.
  @inline(never) @_optimize(size)
  mutating func beginRules(
    _ rules: DeviceRules, seen: UInt64, _ timed: ContiguousArray<DeviceTimings.Record>,
    edges: (before: Int64, now: Int64), additions: [RuleStates.Addition], _ table: ConditionTable
  ) {
    guard let book = table.rules else { return }
    let states = known.ownRules(book.nameBound)
    states.begin(rules, shapes: seen)
    states.additions = additions
    if table.policies.hasTimings {
      states.edges = edges
      states.settled = (timeline.lastFix?.time.microseconds ?? .min, known.shapes.sweptThrough)
      passEdges(of: timed, states, table)
    }
    for record in rules.records {
      if !record.waiting.isEmpty { deadlines.schedule(record.slot, at: record.deadline) }
      // A rule whose schedule has started is looked at after the next input.
      if known.hasTimed, record.observed == .undetermined, known.timed(record.slot)?.isSuspended == false {
        loadRule(book.name(of: record.slot), states, table)
      }
    }
    guard states.seen < max(book.lastGeneration, table.lastTimedRule) else { return }
    // Rules that were added since the last input are looked at after the next one. Those whose first determination is
    // certainly no event are left out.
    var roots = book.listed
    for record in rules.records { roots.append(book.name(of: record.slot)) }
    known.shapes.forEachException { slot, _ in appendContainers(of: slot, to: &roots, book) }
    known.beacons.forEach { slot, track in
      if track.observed == .inside { appendContainers(of: slot, to: &roots, book) }
    }
    for name in Self.concerned(roots, book) where book.isRule(name) {
      guard table.generation(of: book.slot(of: name)) > states.seen || table.lastTimedRule > states.seen else {
        continue
      }
      loadRule(name, states, table)
    }
  }

  /// Loads the states of parts with a timing, and marks those that edges of the present instant have changed.
  @inline(never) @_optimize(size)
  private mutating func passEdges(
    of timed: ContiguousArray<DeviceTimings.Record>, _ states: RuleStates, _ table: ConditionTable
  ) {
    var changed: ContiguousArray<UInt32> = []
    for record in timed {
      if table.kind(of: record.slot).isRule {
        states.note(record.slot, counted: record.counted, isWithoutEvidence: record.hasMetCoarseFix)
        continue
      }
      guard let name = table.rules?.part(in: record.slot) else { continue }
      var cell = RuleStates.Cell()
      cell.turn = states.turn
      cell.counted = record.counted
      states.cells[Int(name)] = cell
      if counted(record.slot, table) != record.counted { changed.append(record.slot) }
    }
    for record in timed where table.kind(of: record.slot).isRule {
      guard let name = table.rules?.part(in: record.slot) else { continue }
      loadRule(name, states, table)
      if counted(record.slot, table) != record.counted { changed.append(record.slot) }
    }
    guard !changed.isEmpty else { return }
    timeline.move(to: states.edges.now)
    table.putInOrder(&changed)
    // A change must not copy the states, which the caller changes, too.
    states.isBusy = true
    for slot in changed { markPart(slot, nil, table) }
    states.isBusy = false
  }

  mutating func dropRules() { known.dropRules() }

  private func appendContainers(of slot: UInt32, to names: inout ContiguousArray<UInt32>, _ book: RuleBook) {
    guard let part = book.part(in: slot) else { return }
    for place in 0..<book.containerCount(of: part) { names.append(book.container(place, of: part)) }
  }

  /// Returns the names of rules, of the rules that contain them, and of all their parts, each once.
  @inline(never) @_optimize(size)
  static func concerned(_ roots: ContiguousArray<UInt32>, _ book: RuleBook) -> ContiguousArray<UInt32> {
    if roots.isEmpty { return [] }
    var isListed = ContiguousArray(repeating: false, count: book.nameBound)
    var names: ContiguousArray<UInt32> = []
    func list(_ name: UInt32) {
      if isListed[Int(name)] { return }
      isListed[Int(name)] = true
      names.append(name)
    }
    for root in roots { list(root) }
    var next = 0
    while next < names.count {
      let name = names[next]
      next += 1
      for place in 0..<book.containerCount(of: name) { list(book.container(place, of: name)) }
    }
    next = 0
    while next < names.count {
      let name = names[next]
      next += 1
      for place in 0..<book.partCount(of: name) { list(book.part(place, of: name)) }
    }
    return names
  }

  /// Before a fix settles all shapes without an entry as outside: adds the shapes whose change may be reported by a rule
  /// to those that the fix determines one by one.
  ///
  /// - Parameters:
  ///   - swept: The shapes after this generation are undetermined.
  ///   - near: Contains the shapes that the fix may cross, except those with an entry.
  @inline(never) @_optimize(size)
  mutating func appendParts(
    to slots: inout ContiguousArray<UInt32>, after swept: UInt64, near: ContiguousArray<CapHit>, _ table: ConditionTable
  ) {
    guard let book = table.rules else { return }
    let states = known.ownRules(book.nameBound)
    states.sweptFrom = swept
    var roots = book.listed
    for record in states.records { roots.append(book.name(of: record.slot)) }
    for rule in states.loaded { roots.append(book.name(of: rule.slot)) }
    for slot in slots { appendContainers(of: slot, to: &roots, book) }
    for hit in near { appendContainers(of: hit.id, to: &roots, book) }
    known.shapes.forEachException { slot, _ in appendContainers(of: slot, to: &roots, book) }
    for name in Self.concerned(roots, book) {
      let slot = book.slot(of: name)
      guard slot != RuleBook.none, table.isGeographic(slot), table.generation(of: slot) > swept else { continue }
      if table.policies.hasTimings, known.timed(slot) == nil, !table.isActive(slot, at: clock) { continue }
      if known.shapes.observed(slot, table) == .undetermined { slots.append(slot) }
    }
  }

  /// Loads the state that a part had before its first change.
  func loadPart(_ mark: RuleStates.Mark, _ states: RuleStates) {
    guard !states.isLoaded(mark.name) else { return }
    var cell = RuleStates.Cell()
    cell.turn = states.turn
    switch mark.evidence.notify {
    case .entry: cell.counted = .unsatisfied
    case .exit: cell.counted = .satisfied
    default: cell.counted = .unknown
    }
    states.cells[Int(mark.name)] = cell
  }

  /// Marks that a beacon condition has become undetermined without an event.
  ///
  /// - Parameter before: The observed state until now.
  @inline(never) @_optimize(size)
  mutating func markStopped(_ slot: UInt32, _ before: Observed, _ table: ConditionTable) {
    guard before != .undetermined, let book = table.rules, let name = book.part(in: slot) else { return }
    let states = known.ownRules(book.nameBound)
    if !states.isLoaded(name) {
      states.cells[Int(name)] = RuleStates.Cell()
      states.cells[Int(name)].turn = states.turn
      states.cells[Int(name)].counted = before.state
    }
    markPart(slot, nil, table)
  }

  /// Loads the state of a rule for the present device, if that has not happened yet.
  @inline(never) @_optimize(size)
  func loadRule(_ name: UInt32, _ states: RuleStates, _ table: ConditionTable) {
    guard let book = table.rules, !states.isLoaded(name) else { return }
    var cell = RuleStates.Cell()
    cell.turn = states.turn
    // The numbers of parts before the present instant.
    var before: (satisfied: Int, unknown: Int) = (0, 0)
    let slot = book.slot(of: name)
    var record = states.record(of: slot)
    let looked = max(states.seen, record?.looked ?? 0)
    for index in 0..<book.partCount(of: name) {
      let part = book.part(index, of: name)
      var (old, new) = partStates(part, states, table)
      if new == .satisfied { cell.satisfied += 1 }
      if new == .unknown { cell.unknown += 1 }
      if old != new { cell.changes += 1 }
      if table.policies.hasTimings, book.slot(of: part) != RuleBook.none, table.timing(of: book.slot(of: part)) != nil {
        let generation = table.generation(of: book.slot(of: part))
        if generation > states.seen { cell.isAhead = true }
        if generation > looked { old = .unknown }
      }
      if old == .satisfied { before.satisfied += 1 }
      if old == .unknown { before.unknown += 1 }
    }
    let generation = table.generation(of: slot)
    let implied = Observed(book.state(of: name, satisfied: before.satisfied, unknown: before.unknown))
    var candidate: RuleStates.Candidate?
    if record != nil || generation <= states.seen { cell.observed = implied }
    // If a part was removed or replaced meanwhile, the rule may have become undetermined.
    if let known = record, implied != .undetermined {
      cell.observed = known.observed
      candidate = known.candidate
    }
    if record == nil { record = RuleRecord(slot: slot, generation: generation, told: table.assumed(of: slot)) }
    cell.counted = cell.observed.state
    if let record, let counted = record.counted {
      cell.counted = counted
      cell.isWithoutEvidence = record.isWithoutEvidence
    }
    cell.place = Int32(states.loaded.count)
    states.loaded.append(record!)
    states.cells[Int(name)] = cell
    if let candidate { states.open(candidate, name) }
    if generation > states.seen || cell.isAhead || record?.counted != nil, cell.observed == .undetermined {
      states.setPending(name)
    }
    if cell.changes != 0 { states.list(name) }
  }

  /// The cell of the rule in a slot, if its state was loaded for the present device.
  func loadedRule(_ slot: UInt32, _ table: ConditionTable) -> RuleStates.Cell? {
    guard let name = table.rules?.name(of: slot), let states = known.rules, states.isLoaded(name) else { return nil }
    return states.cells[Int(name)]
  }

  /// Loads the state of the rule in a slot.
  mutating func loadRule(_ slot: UInt32, _ table: ConditionTable) {
    guard let book = table.rules else { return }
    loadRule(book.name(of: slot), known.ownRules(book.nameBound), table)
  }

  /// The states of a part before the present instant, and as the rules that have it have counted it.
  private func partStates(
    _ name: UInt32, _ states: RuleStates, _ table: ConditionTable
  ) -> (old: Event.State, new: Event.State) {
    guard let book = table.rules else { return (.unknown, .unknown) }
    let slot = book.slot(of: name)
    if slot == RuleBook.none { return (.unknown, .unknown) }
    if book.isRule(name) { loadRule(name, states, table) }
    if states.isLoaded(name) {
      let cell = states.cells[Int(name)]
      return (cell.start ?? cell.counted, cell.counted)
    }
    if table.policies.hasTimings, table.timing(of: slot) != nil, known.timed(slot) == nil {
      let (settled, lastFix) = (states.settled, timeline.lastFix?.time.microseconds ?? .min)
      return (
        table.countedCommon(slot, at: states.edges.before, seen: settled.through, lastFix: settled.lastFix),
        table.countedCommon(slot, at: states.edges.now, seen: known.shapes.sweptThrough, lastFix: lastFix)
      )
    }
    let state = known.observed(slot, table).state
    if let swept = states.sweptFrom, table.isGeographic(slot), table.generation(of: slot) > swept {
      return (.unknown, state)
    }
    return (state, state)
  }

  // MARK: - Packing

  /// Notes the observed change of a rule.
  ///
  /// - Returns: The state that was reported before.
  @inline(never) @_optimize(size)
  mutating func tellRule(_ entry: EventEntry, _ table: ConditionTable) -> Event.State {
    guard let book = table.rules, let states = known.rules else { return .unknown }
    let place = Int(states.cells[Int(book.name(of: entry.slot))].place)
    let before = states.loaded[place].told
    states.loaded[place].told = entry.state
    if entry.state != .satisfied {
      (states.loaded[place].since, states.loaded[place].evidence) = (.min, .min)
    } else if before != .satisfied || states.loaded[place].since == .min
      || (entry.marks.contains(.news) && entry.cause != .repeat)
    {
      (states.loaded[place].since, states.loaded[place].evidence) = (entry.date, entry.evidenceDate)
    }
    return before
  }

  /// The shapes up to this generation had been determined before the input.
  var shapesSeenByRules: UInt64? { known.rules?.shapesSeen }

  /// Returns the states of the rules of the device.
  ///
  /// - Parameters:
  ///   - rules: The states before.
  ///   - seen: The shapes up to this generation have been determined.
  @inline(never) @_optimize(size)
  func packRules(_ rules: DeviceRules, seen: UInt64, _ table: ConditionTable) -> DeviceRules {
    guard let book = table.rules, let states = known.rules else { return DeviceRules() }
    // Most inputs change no rule.
    let isKnown = !rules.isReset && rules.seen(shapes: seen) == table.order.lastGeneration
    if states.loaded.isEmpty, seen == states.shapesSeen, isKnown || !states.isServed { return rules }
    var packed = rules
    packed.records.removeAll { states.isLoaded(book.name(of: $0.slot)) }
    for loaded in states.loaded {
      var record = loaded
      let name = book.name(of: record.slot)
      record.observed = states.cells[Int(name)].observed
      record.candidate = states.candidate(of: name)
      let isAhead = states.cells[Int(name)].isAhead && record.observed != .undetermined && !states.isServed
      record.looked = isAhead ? table.order.lastGeneration : 0
      packed.records.append(record)
    }
    packed.records.arrange { $0.slot < $1.slot }
    if states.isServed {
      packed.seen = table.order.lastGeneration
      packed.isReset = false
    }
    packed.dropCommon(seen: seen, table)
    return packed
  }
}
