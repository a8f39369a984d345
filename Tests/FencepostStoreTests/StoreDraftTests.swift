import Testing

@testable import Fencepost
@testable import FencepostCore
@testable import FencepostStore
@testable import FencepostStoreCore

/// A store is created under a hidden name: it exists as a whole, or not at all.
@Suite struct StoreDraftTests {
  private let folder: Folder
  private let path: String

  init() throws {
    folder = try Folder()
    path = folder.file("m.fencepost")
  }

  private func image(_ count: Int) throws -> MonitorImage {
    var engine = try MonitorEngine(name: "m")
    for number in 0..<count {
      let centre = Coordinate(latitude: Double(number) / 1_000, longitude: 0)
      try engine.add(CircularGeographicCondition(center: centre, radius: 50), identifier: "\(number)")
    }
    return MonitorImage(engine)
  }

  private func identifiers() throws -> [String] {
    var stored = try StoredEngine(name: "m", options: MonitorOptions(), directory: folder.path)
    defer { try? stored.close() }
    return stored.call { $0.identifiers }
  }

  /// A draft is not a store while it is being filled; after it is published, it has the store's name and can be opened.
  @Test func aDraftBecomesAStore() throws {
    do {
      let draft = try StoreDraft.make(.monitor, of: path)
      var image = try image(100)
      while !image.isOver {
        #expect(folder.names.allSatisfy { $0.hasPrefix(".m.fencepost-") })
        try draft.fill(&image, limit: 7)
      }
      #expect(StoreFiles.size(path) == nil)
      try draft.publish(as: path)
      #expect(folder.names == ["m.fencepost"])
      #expect(throws: MonitorError.monitorInUse("m")) { try identifiers() }
    }
    #expect(try identifiers() == (0..<100).map { "\($0)" })
  }

  @Test func whatHasNoNameGoesWithTheDraft() throws {
    do {
      let draft = try StoreDraft.make(.monitor, of: path)
      var image = try image(20)
      try draft.fill(&image, limit: 5)
      #expect(!image.isOver && folder.names.count == 1)
    }
    #expect(folder.names.isEmpty)
  }

  /// The first process to give its draft the store's name gets the store; the other process's draft is discarded.
  @Test func whoIsLateLeavesTheStoreAlone() throws {
    for (count, isFirst) in [(3, true), (9, false)] {
      let draft = try StoreDraft.make(.monitor, of: path)
      var image = try image(count)
      while !image.isOver { try draft.fill(&image, limit: 1_000) }
      if isFirst {
        try draft.publish(as: path)
      } else {
        #expect(throws: StoreFailure.self) { try draft.publish(as: path) }
      }
    }
    #expect(folder.names == ["m.fencepost"])
    #expect(try identifiers() == ["0", "1", "2"])
  }

  @Test func aDraftTakesTheStoresPlace() throws {
    for count in [3, 9] {
      let draft = try StoreDraft.make(.monitor, of: path)
      var image = try image(count)
      while !image.isOver { try draft.fill(&image, limit: 1_000) }
      if count == 3 { try draft.publish(as: path) } else { try draft.replace(path) }
      #expect(draft.file.isSame(as: path))
      #expect(try draft.file.isInPlace())
    }
    #expect(try identifiers().count == 9)
  }

  /// Tests that filling a draft changes the draft's sums but not its number, and that the file contains this number.
  @Test func theSumsAreThoseOfTheFile() throws {
    let draft = try StoreDraft.make(.monitor, of: path)
    let number = draft.sums.number
    let empty = draft.sums
    var image = try image(10)
    while !image.isOver { try draft.fill(&image, limit: 4) }
    #expect(draft.sums.number == number && draft.sums != empty)
    let bytes = StoreFiles.beginning(of: draft.path, Schema.pageSize)
    #expect(Schema.number(inPage: bytes) == number)
    #expect(bytes[18] == 2 && bytes[19] == 2, "it is a database with a log")
  }

  @Test func whereNoFileCanBeMadeNothingIs() {
    #expect(throws: StoreFailure.self) { try StoreDraft.make(.monitor, of: folder.file("no/where/m.fencepost")) }
    #expect(folder.names.isEmpty)
  }
}
