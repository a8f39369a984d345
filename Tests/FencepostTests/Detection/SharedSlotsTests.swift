import Testing

@testable import Fencepost

/// States that a fork shares behave as a copy of its own would.
@Suite struct SharedSlotsTests {
  /// Any reads and writes, beside an array; sweeping changes what it says and nothing else.
  @Test func sharedStatesAreAsACopy() {
    for life in 0..<30 {
      var random = SeededGenerator("slot states", salt: UInt64(life))
      var original = SharedSlots<SlotState>()
      var plain: [SlotState] = []
      for _ in 0..<random.integer(1_000...3_000) {
        var state = SlotState()
        state.isListed = random.chance(0.8)
        state.observed = random.chance(0.8) ? .undetermined : .inside
        original.append(state)
        plain.append(state)
      }
      let before = plain
      var shared = original
      shared.share()
      for step in 0..<600 {
        let slot = random.integer(0...plain.count - 1)
        switch random.integer(0...99) {
        case 0 where shared.isShared:
          var kept: Set<Int> = []
          shared.forEachChanged { kept.insert($0) }
          shared.sweep()
          for slot in plain.indices where plain[slot].isListed && !kept.contains(slot) {
            plain[slot].isListed = false
            plain[slot].observed = .outside
          }
        case 1...2 where step > 300:
          shared.append(SlotState())
          plain.append(SlotState())
        case 3...20:
          shared[slot].active = UInt32(step)
          plain[slot].active = UInt32(step)
        case 21...25:
          shared[slot].observed = .undetermined
          plain[slot].observed = .undetermined
        default:
          #expect(shared[slot] == plain[slot], "life \(life), step \(step), slot \(slot)")
        }
      }
      #expect(plain.indices.allSatisfy { shared[$0] == plain[$0] }, "life \(life)")
      #expect(before.indices.allSatisfy { original[$0] == before[$0] }, "life \(life), the original")
    }
  }

  @Test func whatChangesMuchEndsTheSharing() {
    var states = SharedSlots<SlotState>()
    for _ in 0..<1_600 { states.append(SlotState()) }
    states.share()
    for slot in 0..<100 { states[slot].active = 1 }
    #expect(states.isShared)
    states[100].active = 1
    #expect(!states.isShared)
    #expect(states.indices.filter { states[$0].active == 1 } == Array(0...100))
    var few = SharedSlots<SlotState>()
    few.append(SlotState())
    few.share()
    #expect(!few.isShared)
  }

  /// A monitor with a crowd of circles around the place where random lives happen.
  private func crowded(_ number: Int) throws -> (MonitorEngine, RandomLife) {
    var random = SeededGenerator("crowd", salt: UInt64(number))
    var steps = RandomLife("lives of forks", number)
    var options = steps.options()
    if random.chance(0.7) { options.conditionLimit = nil }
    options.maxPendingEvents = 1_000_000
    var engine = try MonitorEngine(name: "crowd", options: options)
    let strangers: Double = [0.0, 0.002, 0.3].randomElement(using: &random) ?? 0
    for index in 0..<1_500 {
      try engine.add(
        circle(
          random.uniform(10...400), latitude: random.uniform(-0.05...0.05), longitude: random.uniform(-0.05...0.05)),
        identifier: "crowd \(index)", assuming: random.chance(strangers) ? .unknown : .unsatisfied,
        policy: [.exact, .standard].randomElement(using: &random) ?? .exact)
    }
    for _ in 0..<random.integer(0...30) { _ = steps.step().play(&engine) }
    return (engine, steps)
  }

  /// The same life in a fork and in an engine that shares nothing: the same events, the same bytes at the end, and
  /// nothing of it in the original.
  @Test func forksLiveAsCopiesDo() throws {
    var sharing = 0
    for number in 0..<60 {
      let (original, life) = try crowded(number)
      var steps = life
      let before = original.snapshot()
      var plain = original
      plain.abandon()
      var fork = original.fork()
      for index in 0..<60 {
        if index % 20 == 10 {
          fork = fork.fork()
          plain.abandon()
        }
        let step = steps.step()
        let expected = step.play(&plain)
        #expect(step.play(&fork) == expected, "life \(number), step \(index): \(step)")
        #expect(fork.statistics == plain.statistics, "life \(number), step \(index): \(step)")
        if index % 20 == 19 { try checkInvariants(of: fork, "life \(number), step \(index): \(step)") }
      }
      if fork.tracker.states.isShared { sharing += 1 }
      for identifier in plain.identifiers where identifier.hasSuffix("7") {
        #expect(fork.explain(identifier) == plain.explain(identifier), "life \(number): \(identifier)")
      }
      let isSame = fork.snapshot() == plain.snapshot()
      let isUntouched = original.snapshot() == before
      #expect(isSame, "life \(number): the snapshots differ")
      #expect(isUntouched, "life \(number): the original changed")
    }
    #expect(sharing > 20, "too few lives in which the states stay shared")
  }
}
