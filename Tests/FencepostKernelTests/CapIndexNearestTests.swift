import FencepostKernel
import Testing

/// Compares the search for the nearest caps with a search through a plain list.
@Suite struct CapIndexNearestTests {
  @Test(arguments: CapWorld.allCases)
  func visitsTheNearest(_ world: CapWorld) {
    let salt = world.rawValue.utf8.reduce(UInt64(7)) { $0 &* 31 &+ UInt64($1) }
    var random = SeededGenerator("nearest, \(world)", salt: salt)
    var subject = CapSubject()
    for step in 0..<2000 {
      if random.next() % 4 == 0, !subject.caps.isEmpty {
        subject.remove(at: Int(random.next() % UInt64(subject.caps.count)))
      } else {
        subject.insert(random.cap(of: world))
      }
      if step % 40 == 0 {
        let position = random.position(of: world, around: subject.caps)
        subject.checkNearest(to: position, 1 + Int(random.next() % 30))
      }
    }
  }

  @Test func visitsFewOfMany() {
    var random = SeededGenerator("nearest, few of many")
    var subject = CapSubject()
    for _ in 0..<20_000 { subject.insert((random.anywhere(), 100)) }
    var visited = 0
    var nearest: [Double] = []
    subject.index.visitNearest(to: random.anywhere()) { _, slack in
      visited += 1
      nearest = Array((nearest + [slack]).sorted().prefix(20))
      return nearest.count == 20 ? nearest[19] : .infinity
    }
    #expect(nearest.count == 20)
    #expect(visited < 1_000, "\(visited) visited")
  }

  @Test func visitsNothingFromNowhere() {
    var index = CapIndex()
    let centre = EarthVector(latitude: 1, longitude: 2)
    var visited = 0
    index.visitNearest(to: centre) { _, _ in
      visited += 1
      return 0
    }
    index.insert(1, centre: centre, reach: 5)
    index.insert(2, centre: centre, reach: .infinity)
    index.visitNearest(to: EarthVector(x: .nan, y: 0, z: 0)) { _, _ in
      visited += 1
      return 0
    }
    #expect(visited == 0)
    index.visitNearest(to: EarthVector(x: .infinity, y: 0, z: 0)) { _, slack in
      visited += 1
      return slack
    }
    #expect(visited > 0)
  }
}
