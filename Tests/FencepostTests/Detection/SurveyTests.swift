import FencepostKernel
import Testing

@testable import Fencepost
@testable import FencepostCore

/// Tests the results that the evaluation of a fix collects.
@Suite struct SurveyTests {
  private let index: CapIndex
  private let here = EarthVector(latitude: 0, longitude: 0)

  /// Inserts caps with a radius of 100 m, each one kilometre north of the previous one.
  init() {
    var index = CapIndex()
    for slot in 0..<5 as Range<UInt32> {
      index.insert(slot, centre: EarthVector(latitude: Double(slot) / 110.574, longitude: 0), reach: 100)
    }
    self.index = index
  }

  @Test func gathersWhatIsWithinTheRadius() {
    var survey = Survey()
    survey.gather(index, around: here, within: 1_000)
    #expect(Set(survey.gathered.map(\.id)) == [0, 1])
    #expect(survey.radius == 1_000 && survey.centre == here)
    survey.near.append(NearThreshold(slack: 1, slot: 9))
    survey.gather(index, around: here, within: 3_000)
    #expect(
      Set(survey.gathered.map(\.id)) == [0, 1, 2, 3] && survey.near.isEmpty, "nothing stays of what was gathered")
  }

  /// The survey records circles that are settled as outside only while it gathers a list.
  @Test func hearsOfReleasesWhileItGathers() {
    var survey = Survey()
    survey.begin()
    survey.release(1)
    #expect(survey.released.isEmpty)
    survey.gather(index, around: here, within: 1_000)
    survey.release(1)
    survey.release(2)
    #expect(survey.released == [1, 2])
    survey.begin()
    #expect(survey.released.isEmpty && survey.radius == 0)
  }

  @Test func beginsWithNothingOfTheFixBefore() {
    var survey = Survey()
    survey.gather(index, around: here, within: 2_000)
    survey.reached.append(3)
    survey.release(4)
    survey.begin()
    #expect(survey.reached.isEmpty && survey.released.isEmpty && survey.radius == 0)
  }

  // MARK: - The k smallest

  @Test func selectsTheSmallest() {
    var random = SeededGenerator("SurveyTests")
    for round in 0..<400 {
      let count = random.integer(1...60)
      // Lists with many equal elements, and ascending or descending lists, often make selection algorithms slow or
      // wrong.
      var list = ContiguousArray(
        (0..<count).map { place in
          let slack: Double =
            switch round % 4 {
            case 0: random.uniform(-5...5)
            case 1: Double(random.integer(0...3))
            case 2: Double(place)
            default: Double(-place)
            }
          return NearThreshold(slack: slack, slot: UInt32(place))
        })
      let sorted = list.map(\.slack).sorted()
      let k = random.integer(1...count)
      let found = list.select(k)
      #expect(found.slack == sorted[k - 1])
      #expect(list.prefix(k).map(\.slack).sorted() == Array(sorted.prefix(k)))
      #expect(Set(list.map(\.slot)).count == count, "none is lost")
    }
  }

  @Test func selectsAmongInfinities() {
    var list: ContiguousArray<NearThreshold> = []
    for (slot, slack) in [Double.infinity, 3, -Double.infinity, .infinity, 1].enumerated() {
      list.append(NearThreshold(slack: slack, slot: UInt32(slot)))
    }
    let found = list.select(3)
    #expect(found.slack == 3 && list.prefix(2).map(\.slack).sorted() == [-.infinity, 1])
  }
}
