import FencepostKernel

/// The detector of shapes with a band of altitudes. A device is inside if it is within the shape and within the band; it is
/// outside if it is certainly not within one of the two. Otherwise its height is not known, and a fix changes nothing.
///
/// Such a shape has no watch that depends on distances while the device may be inside: each fix is looked at.
extension Tracker {
  /// The heights of a fix, or of a point of the path.
  private func heights(of fix: Fix, isOnPath: Bool) -> Heights {
    isOnPath ? timeline.heightsOnPath(at: fix.time.microseconds) : timeline.lastHeight?.heights ?? .none
  }

  /// Decides an undetermined shape like ``decide(_:_:at:_:_:_:)``.
  @inline(never)
  mutating func decide(
    _ slot: UInt32, within band: AltitudeBand, _ fix: Fix, at position: EarthVector, _ table: ConditionTable,
    _ delivery: inout Delivery, _ survey: inout Survey
  ) -> Bool {
    let shape = table.shape(of: slot)
    let policy = table.policy(of: slot)
    // A path lays no positions for a shape whose policy has probabilities.
    if policy.hasProbability, survey.isOnPath { return false }
    let place = band.place(heights(of: fix, isOnPath: survey.isOnPath), policy)
    let margin = policy.isTooCoarse(size: shape.size, accuracy: fix.accuracy) ? fix.accuracy : 0
    let measure = shape.measure(fix.coordinate, at: position, margins: (0, margin))
    var isInside = measure.isInside && place.isInside
    var isOutside = !measure.isInside
    var probability = Float.nan
    if policy.hasProbability {
      let (p, stored) = Self.probability(shape, fix, error(of: fix))
      probability = stored
      isInside = isInside && policy.isDecisive(inwards: true, p)
      isOutside = isOutside && policy.isDecisive(inwards: false, p)
    } else if margin > 0 {
      isInside = false
      isOutside = measure.distance - margin > measure.line
    }
    guard isInside || isOutside || place.isOutside else {
      known.setTooCoarse(slot, table)
      return false
    }
    refreshWatch(slot, as: isInside ? .inside : .outside, table, &survey)
    var entry = EventEntry(
      slot: slot, generation: table.generation(of: slot), state: isInside ? .satisfied : .unsatisfied,
      cause: .determination, date: Timestamp(microseconds: clock))
    entry.notify = .initial
    entry.setEvidence(
      fix, boundaryDistance: shape.boundaryDistance(measure, fix.coordinate, at: position), isOnPath: survey.isOnPath)
    entry.probability = probability
    entry.verticalDistance = place.distance
    if timeline.hasGap { markGap(&entry, decided: fix.time.microseconds, table, delivery) }
    observe(entry, isInitial: true, table, &delivery)
    return true
  }

  /// The probability that a shape contains the true position of a fix, and ``EventEntry/probability``. Static, because a
  /// call in the middle of a mutation would copy the tracker.
  private static func probability(_ shape: Shape, _ fix: Fix, _ error: PositionError) -> (Double, stored: Float) {
    let probability = shape.probability(at: fix.coordinate, error)
    if case .ellipse = error { return (probability, Float(probability)) }
    return (probability, .nan)
  }

  /// Applies a fix to a determined shape like ``cross(_:_:at:_:_:)``.
  @inline(never)
  mutating func cross(
    _ slot: UInt32, within band: AltitudeBand, _ fix: Fix, at position: EarthVector, _ table: ConditionTable,
    _ survey: inout Survey
  ) {
    let observed = known.shapes.observed(slot, table)
    guard observed != .undetermined else { return }
    let shape = table.shape(of: slot)
    let policy = table.policy(of: slot)
    let place = band.place(heights(of: fix, isOnPath: survey.isOnPath), policy)
    let inner = policy.marginInwards(size: shape.size, accuracy: fix.accuracy)
    let outer = policy.marginOutwards(size: shape.size, accuracy: fix.accuracy)
    let measure = shape.measure(fix.coordinate, at: position, margins: (inner, outer))
    let isInside = measure.isInside && place.isInside
    // Without a height, nothing changes.
    guard isInside || !measure.isInside || place.isOutside else { return }
    if isInside == (observed == .inside) {
      guard known.closeCandidate(slot) else { return }
      deadlines.cancel(slot)
      if known.hasTimed { remindTiming(slot) }
      return refreshWatch(slot, table, &survey)
    }
    let time = fix.time.microseconds
    if let candidate = known.candidate(of: slot) {
      if !candidate.isTimed, time >= candidate.deadline { confirm(slot, candidate, date: time, table, &survey) }
      return
    }
    var isDecisive =
      measure.isInside == (observed == .outside)
      && Self.isBeyondMargin(fix, measure, size: shape.size, margins: (inner, outer), policy, from: observed)
    var probability = Float.nan
    if policy.hasProbability {
      let (p, stored) = Self.probability(shape, fix, error(of: fix))
      probability = stored
      isDecisive = isDecisive && policy.isDecisive(inwards: isInside, p)
    }
    guard isInside ? isDecisive && place.isDecisiveInwards : isDecisive || place.isDecisiveOutwards else { return }
    var (candidate, dwell) = Self.candidate(
      fix, boundaryDistance: shape.boundaryDistance(measure, fix.coordinate, at: position), policy, from: observed,
      isOnPath: survey.isOnPath)
    candidate.probability = probability
    candidate.verticalDistance = place.distance
    if dwell == 0 {
      confirm(slot, candidate, date: time, table, &survey)
    } else {
      open(candidate, slot)
      refreshWatch(slot, table, &survey)
    }
  }

  // MARK: - Paths

  /// Finds the instants of a part of the path at which ``VerticalPlace/bits`` change.
  private func instants(
    _ band: AltitudeBand, _ policy: TransitionPolicy, from first: Int64, through last: Int64
  ) -> ContiguousArray<Int64> {
    var instants: ContiguousArray<Int64> = []
    func bits(_ time: Int64) -> UInt8 { band.place(timeline.heightsOnPath(at: time), policy).bits }
    /// Finds the first instant after `first` with another bit; `nil` if the bit is the same at the end.
    func change(of bit: UInt8, _ first: Int64, _ last: Int64) -> Int64? {
      var (low, high) = (first, last)
      let before = bits(low) & bit
      guard bits(high) & bit != before else { return nil }
      while high - low > 1 {
        let middle = low + (high - low) / 2
        if bits(middle) & bit == before { low = middle } else { high = middle }
      }
      return high
    }
    func search(_ first: Int64, _ last: Int64) {
      var bit: UInt8 = 1
      while bit < VerticalPlace.isCoarse {
        if let time = change(of: bit, first, last) { instants.append(time) }
        bit <<= 1
      }
    }
    if let split = change(of: VerticalPlace.isCoarse, first, last) {
      instants.append(split)
      search(first, split - 1)
      search(split, last)
    } else {
      search(first, last)
    }
    instants.arrange()
    return instants
  }

  /// Finds the next instant of a part of the path at which the state of a shape with a band changes.
  ///
  /// - Parameters:
  ///   - start: The first instant at which the shape may pass a threshold.
  ///   - threshold: The threshold of the shape without its band; `nil` if nothing in the plane can change the state.
  /// - Returns: `Int64.max` if the state does not change.
  @inline(never)
  mutating func nextChange(
    of slot: UInt32, within band: AltitudeBand, _ observed: Observed, _ candidate: Candidate?,
    _ threshold: PathThreshold?, from first: Int64, passing start: Int64, through last: Int64,
    _ search: inout PassageSearch, _ table: ConditionTable
  ) -> Int64 {
    let policy = table.policy(of: slot)
    let shape = table.shape(of: slot)
    let isCoarse = policy.isTooCoarse(size: shape.size, accuracy: search.leg.accuracy)
    var begin = first
    var ends = instants(band, policy, from: first, through: last)
    ends.append(last + 1)
    for next in ends where next > begin {
      let end = next - 1
      let place = band.place(timeline.heightsOnPath(at: begin), policy)
      func passes(_ threshold: PathThreshold?, from time: Int64, through limit: Int64? = nil) -> Int64? {
        guard let threshold else { return nil }
        // A change of the height counts wherever the device is.
        let from = begin == first ? max(time, start) : time
        return search.first(threshold, of: shape, from: from, through: limit ?? end)
      }
      var beyond = threshold
      beyond?.passage = .beyond
      beyond?.level = 0
      var time: Int64?
      switch (observed, candidate) {
      case (.undetermined, _):
        guard threshold != nil else { break }
        time =
          place.isOutside || (place.isInside && !isCoarse)
          ? begin : passes(isCoarse ? threshold : beyond, from: begin)
      case (.inside, nil): time = place.isDecisiveOutwards ? begin : passes(threshold, from: begin)
      case (.outside, nil): time = place.isDecisiveInwards ? passes(threshold, from: begin) : nil
      case (_, let candidate?):
        let due = candidate.isTimed ? Int64.max : max(begin, candidate.deadline)
        if place.isInside {
          // The device returns, or a fix confirms that it is on the other side.
          time = passes(threshold, from: begin, through: min(end, due)) ?? (due <= end ? due : nil)
        } else if observed == .outside {
          time = place.isOutside ? begin : passes(threshold, from: begin)
        } else if due <= end {
          time = place.isOutside ? due : passes(beyond, from: due)
        }
      }
      if let time { return time }
      begin = next
    }
    return .max
  }
}
