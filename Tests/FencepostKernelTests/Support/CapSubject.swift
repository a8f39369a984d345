@testable import FencepostKernel
import Testing

/// The largest distance at which a search result is accepted: `(reach + distance) · (1 + 10⁻⁶)`, plus two quanta, plus
/// 4 · 10⁻⁷ of the edge length of the cap's cube.
func tolerated(_ reach: Double, _ distance: Double) -> Double {
  var level = CapLevel.base
  while level < CapLevel.top && Double(CapLevel.reach(level)) < reach * 1.00001 { level += 1 }
  return (reach + distance) * (1 + 1e-6) + CapLevel.quantum * 2 + CapLevel.edge(level) * 4e-7
}

/// A cap index under test, and a plain list of the same caps, with which the results are compared.
struct CapSubject {
  struct Cap {
    var id: UInt32
    var centre: EarthVector
    var reach: Double
  }

  var index = CapIndex()
  var caps: [Cap] = []
  var next: UInt32 = 0

  mutating func insert(_ cap: (EarthVector, Double)) {
    // The multiplication spreads the identifiers over all 32 bits.
    let id = next &* 0x9E37_79B1
    next += 1
    caps.append(Cap(id: id, centre: cap.0, reach: cap.1))
    index.insert(id, centre: cap.0, reach: cap.1)
  }

  mutating func remove(at place: Int) {
    let cap = caps[place]
    caps.swapAt(place, caps.count - 1)
    caps.removeLast()
    index.remove(cap.id, centre: cap.centre, reach: cap.reach)
  }

  func collect(near position: EarthVector, within distance: Double) -> ContiguousArray<UInt32> {
    var ids = ContiguousArray<UInt32>()
    index.collectIDs(near: position, within: distance, into: &ids)
    return ids
  }

  /// A slack is never larger than the true slack, and is smaller by at most the tolerances.
  func checkSlacks(near position: EarthVector, within distance: Double) {
    var hits = ContiguousArray<CapHit>()
    index.collect(near: position, within: distance, into: &hits)
    let byID = Dictionary(caps.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    var mistakes = 0
    for hit in hits {
      guard let cap = byID[hit.id], cap.reach.isFinite else { continue }
      let slack = cap.centre.squaredChord(to: position).squareRoot() - cap.reach
      let span = min(distance, 1.3e7) + cap.reach
      if !(Double(hit.slack) <= slack && Double(hit.slack) >= slack - 8 - 1e-5 * span) { mistakes += 1 }
    }
    #expect(mistakes == 0)
    checkLeast(near: position, within: distance, hits, byID)
  }

  /// `leastSlack` returns the slack of the nearest cap that is not excluded, even if many caps contain the position.
  /// The test excludes up to sixteen of the nearest caps.
  private func checkLeast(
    near position: EarthVector, within distance: Double, _ hits: ContiguousArray<CapHit>, _ byID: [UInt32: Cap]
  ) {
    let nearest = hits.sorted { $0.slack < $1.slack }
    for count in [0, 1, 16] where count <= nearest.count && distance < 1.3e7 {
      var excepted = SIMD16<UInt32>()
      for index in 0..<count { excepted[index] = nearest[index].id }
      let found = index.leastSlack(near: position, within: distance, except: excepted, count: count)
      guard caps.allSatisfy({ $0.reach.isFinite && $0.reach < 1e7 }) else {
        #expect(found == -.infinity || found <= distance)
        continue
      }
      var least = distance
      var reach = 0.0
      for cap in caps where !(0..<count).contains(where: { excepted[$0] == cap.id }) {
        let slack = cap.centre.squaredChord(to: position).squareRoot() - cap.reach
        if slack < least { (least, reach) = (slack, cap.reach) }
      }
      #expect(found <= least && found >= least - 8 - 1e-5 * (distance + reach), "\(found) instead of \(least)")
    }
  }

  /// If the search limit always equals the k-th least slack found so far, the search visits the k caps with the least
  /// slack.
  func checkNearest(to position: EarthVector, _ count: Int) {
    let slacks = Dictionary(
      caps.map { ($0.id, max(0, $0.centre.squaredChord(to: position).squareRoot() - $0.reach)) },
      uniquingKeysWith: { first, _ in first })
    var seen: Set<UInt32> = []
    var mistakes = 0
    var best: [Double] = []
    index.visitNearest(to: position) { id, bound in
      guard let slack = slacks[id], seen.insert(id).inserted, bound <= slack else {
        mistakes += 1
        return .infinity
      }
      best = Array((best + [slack]).sorted().prefix(count))
      return best.count == count ? best[count - 1] : .infinity
    }
    let limit = slacks.values.sorted().prefix(count).last ?? 0
    #expect(mistakes == 0)
    #expect(slacks.allSatisfy { $0.value > limit || seen.contains($0.key) })
  }

  func check(near position: EarthVector, within distance: Double) {
    #expect(index.count == caps.count)
    checkSlacks(near: position, within: distance)
    let ids = collect(near: position, within: distance)
    let found = Set(ids)
    var mistakes = ids.count - found.count
    var known = 0
    for cap in caps {
      let chord = cap.centre.squaredChord(to: position).squareRoot()
      let reported = found.contains(cap.id)
      if reported { known += 1 }
      if chord <= cap.reach + distance {
        if !reported { mistakes += 1 }
      } else if reported && chord > tolerated(cap.reach, distance) {
        mistakes += 1
      }
    }
    #expect(mistakes == 0 && known == found.count, "near \(position) within \(distance)")
  }

  /// Checks that the tree is valid: see `CapIndex.checkInvariants()`.
  func checkTree() throws {
    try index.checkInvariants()
  }
}

extension CapIndex {
  func collectIDs(near position: EarthVector, within distance: Double, into ids: inout ContiguousArray<UInt32>) {
    var hits = ContiguousArray<CapHit>()
    collect(near: position, within: distance, into: &hits)
    ids.append(contentsOf: hits.map(\.id))
  }
}
