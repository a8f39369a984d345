import Fencepost
import FencepostStore
import Foundation
import Testing

/// Opening a damaged file either fails and leaves the file unchanged, or succeeds, and then every answer is correct.
@Suite(.timeLimit(.minutes(10))) struct CorruptionTests {
  /// A closed store with conditions, unconfirmed crossings, waiting events and events in flight.
  private func sound() throws -> (bytes: [UInt8], snapshot: [UInt8]) {
    let folder = try Folder()
    var stored = try StoredEngine(name: "m", options: Drive.options, directory: folder.path)
    for call in Drive.calls(5, count: 150) { _ = stored.call { engine in try? call(&engine) } }
    try stored.call { engine throws(MonitorError) in
      for number in 0..<60 {
        try engine.add(
          CircularGeographicCondition(
            center: Coordinate(latitude: 0, longitude: Double(number) / 1_000), radius: 100 + Double(number)),
          identifier: "n\(number)", policy: .exact)
      }
      for second in 0..<40 as Range<Int64> { try engine.feed(fix(10_000 + second, second % 2 == 0 ? 0 : 400)) }
    }
    _ = stored.call { engine in engine.poll(limit: 5) { _, _ in } }
    try stored.close()
    var opened = try StoredEngine(name: "m", options: Drive.options, directory: folder.path)
    let snapshot = opened.call { $0.snapshot() }
    try opened.close()
    return (try folder.bytes("m.fencepost"), snapshot)
  }

  /// Opens a file with the given bytes; returns true if the file was refused.
  private func check(_ bytes: [UInt8], _ snapshot: [UInt8], _ what: String) throws -> Bool {
    let folder = try Folder()
    try folder.write(bytes, to: "m.fencepost")
    do throws(MonitorError) {
      var stored = try StoredEngine(name: "m", options: Drive.options, directory: folder.path)
      #expect(stored.call { $0.snapshot() } == snapshot, "\(what): a changed answer")
      // After the damage, the store must still be usable: later writes are read back.
      try stored.call { engine throws(MonitorError) in
        try engine.add(BeaconIdentityCondition(uuid: BeaconUUID(high: 9, low: 9)), identifier: "new")
      }
      let after = stored.call { $0.snapshot() }
      #expect(throws: Never.self, "\(what): it opened, and cannot be written") { try stored.close() }
      if var again = try? StoredEngine(name: "m", options: Drive.options, directory: folder.path) {
        #expect(again.call { $0.snapshot() } == after, "\(what): a changed answer after writing")
      } else {
        Issue.record("\(what): it opened once and not again")
      }
      return false
    } catch {
      switch error {
      case .storeCorrupt, .storeTooNew, .storeUnavailable: break
      default: Issue.record("\(what): \(error)")
      }
      let left = try folder.bytes("m.fencepost")
      #expect(left == bytes, "\(what): the file was changed")
      #expect(folder.names == ["m.fencepost"], "\(what): something was left")
      return true
    }
  }

  @Test func flippedBits() throws {
    let (bytes, snapshot) = try sound()
    var random = SeededGenerator("flipped bits")
    var refused = 0
    let count = isSoak ? 3_000 : 500
    for _ in 0..<count {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      let bit = UInt8.random(in: 0..<8, using: &random)
      var damaged = bytes
      damaged[place] ^= 1 << bit
      if try check(damaged, snapshot, "bit \(bit) of byte \(place)") { refused += 1 }
    }
    // A file consists mostly of rows; a damaged file can be opened only if the damage is in a gap between rows.
    #expect(refused > count / 3)
  }

  /// Flips every bit of SQLite's file header.
  @Test func flippedBitsOfTheHeader() throws {
    let (bytes, snapshot) = try sound()
    for place in 0..<100 {
      for bit in (isSoak || (16..<24).contains(place) ? [0, 1, 2, 3, 4, 5, 6, 7] : [0, 4, 7]) as [UInt8] {
        var damaged = bytes
        damaged[place] ^= 1 << bit
        _ = try check(damaged, snapshot, "bit \(bit) of byte \(place)")
      }
    }
  }

  @Test func truncatedFiles() throws {
    let (bytes, snapshot) = try sound()
    var random = SeededGenerator("truncated files")
    for number in 0..<100 {
      let length = number < 20 ? number * 4_096 % bytes.count : Int.random(in: 0..<bytes.count, using: &random)
      let isRefused = try check(Array(bytes[..<length]), snapshot, "length \(length)")
      #expect(isRefused)
    }
  }

  /// If a row is outdated, duplicated or missing, the checksum of the whole file reveals it, even if each row is valid.
  @Test func rowsThatAreNotTheLastOnes() throws {
    let folder = try Folder()
    var stored = try StoredEngine(name: "m", options: Drive.options, directory: folder.path)
    for call in Drive.calls(5, count: 80) { _ = stored.call { engine in try? call(&engine) } }
    try stored.close()
    let sound = try folder.bytes("m.fencepost")
    for sql in [
      "DELETE FROM rows WHERE kind=3 AND a=(SELECT min(a) FROM rows WHERE kind=3)",
      "DELETE FROM rows WHERE kind=2 AND b=(SELECT max(b) FROM rows WHERE kind=2)",
      "DELETE FROM rows WHERE kind=4 AND b=(SELECT max(b) FROM rows WHERE kind=4)",
      "UPDATE rows SET a=a+1000 WHERE kind=3 AND a=(SELECT max(a) FROM rows WHERE kind=3)",
      "UPDATE rows SET kind=7 WHERE kind=3 AND a=(SELECT max(a) FROM rows WHERE kind=3)",
      "UPDATE rows SET data=zeroblob(200) WHERE kind=0", "DELETE FROM rows WHERE kind=0", "DELETE FROM rows",
      "DELETE FROM rows WHERE kind=1", "CREATE TABLE more(x)", "CREATE INDEX more ON rows(data)",
      "UPDATE rows SET data='text' WHERE kind=3", "PRAGMA application_id=7",
      "INSERT INTO rows VALUES(3, 900, 0, x'00')", "UPDATE rows SET a='x' WHERE kind=3 AND a=1",
    ] {
      try folder.write(sound, to: "m.fencepost")
      let isChanged = try change(folder.file("m.fencepost"), sql)
      guard isChanged else { continue }
      let damaged = try folder.bytes("m.fencepost")
      let error = #expect(throws: MonitorError.self) {
        try StoredEngine(name: "m", options: Drive.options, directory: folder.path)
      }
      guard case .storeCorrupt = error else {
        Issue.record("\(sql): \(String(describing: error))")
        continue
      }
      #expect(try folder.bytes("m.fencepost") == damaged)
    }
  }
}
