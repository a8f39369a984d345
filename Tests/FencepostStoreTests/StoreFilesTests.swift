import Fencepost
import Foundation
import Testing

@testable import FencepostStore
@testable import FencepostStoreCore

/// Tests the file system operations of a store.
@Suite struct StoreFilesTests {
  private let folder: Folder
  private let path: String

  init() throws {
    folder = try Folder()
    path = folder.file("m.fencepost")
  }

  /// Returns the text of the error that a call throws, or `nil` if the call succeeds.
  private func refusal(_ body: () throws(StoreFailure) -> Void) -> String? {
    do throws(StoreFailure) {
      try body()
      return nil
    } catch {
      return error.error(path: "PATH", name: "m").description
    }
  }

  @Test func pathsStartAtTheRoot() {
    #expect(StoreFiles.path(of: "m", in: "/a/b") == "/a/b/m.fencepost")
    #expect(StoreFiles.path(of: "m", in: "/a/b/") == "/a/b/m.fencepost")
    let here = FileManager.default.currentDirectoryPath
    #expect(StoreFiles.path(of: "m", in: "a") == "\(here)/a/m.fencepost")
    #expect(StoreFiles.path(of: "m", in: "file:a").hasPrefix("/"), "nothing takes it for a URI")
  }

  @Test func aDirectoryMustBeOne() throws {
    try folder.write([1], to: "plain")
    #expect(refusal { () throws(StoreFailure) in try StoreFiles.requireDirectory(folder.path) } == nil)
    for bad in ["", "a\0b", folder.file("nothing"), folder.file("plain"), folder.file("plain/below")] {
      #expect(refusal { () throws(StoreFailure) in try StoreFiles.requireDirectory(bad) } != nil, "\(bad)")
    }
  }

  @Test func linksAreFollowed() throws {
    #expect(try StoreFiles.resolve(path) == nil)
    try folder.write([1], to: "real")
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "real")
    let resolved = try #require(try StoreFiles.resolve(path))
    #expect(resolved.hasSuffix("/real"))
    #expect(try StoreFiles.resolve(folder.file("real")) == folder.file("real"))
    try FileManager.default.removeItem(atPath: folder.file("real"))
    let text = refusal { () throws(StoreFailure) in _ = try StoreFiles.resolve(path) }
    #expect(text?.contains("symbolic link") == true)
  }

  @Test func whatLiesBesideANewStoreIsNotTakenIn() throws {
    let check = { refusal { () throws(StoreFailure) in try StoreFiles.requireNoRemains(of: path) } }
    try folder.write([], to: "m.fencepost-wal")
    #expect(check() == nil, "an empty log holds nothing")
    StoreFiles.removeEmptyLog(of: path)
    #expect(folder.names.isEmpty)
    for name in ["m.fencepost-wal", "m.fencepost-journal"] {
      try folder.write([1], to: name)
      #expect(check()?.contains(name) == true)
      StoreFiles.removeEmptyLog(of: path)
      #expect(folder.names == [name], "one with something in it stays")
      StoreFiles.remove(folder.file(name))
    }
  }

  @Test func pathsThatAreTooLongAreRefused() {
    #expect(refusal { () throws(StoreFailure) in try StoreFiles.requireLength("/abc", limit: 4) } == nil)
    #expect(
      refusal { () throws(StoreFailure) in try StoreFiles.requireLength("/äb", limit: 3) }?
        .contains("4 bytes; the limit is 3") == true)
  }

  // MARK: - Drafts

  @Test func aDraftIsHiddenAndTheUsersAlone() throws {
    let draft = try StoreFiles.makeDraft(of: path)
    let name = try #require(folder.names.first)
    #expect(folder.names.count == 1 && name.hasPrefix(".m.fencepost-") && draft == folder.file(name))
    let attributes = try FileManager.default.attributesOfItem(atPath: draft)
    #expect((attributes[.posixPermissions] as? Int) == 0o600)
    #expect(StoreFiles.size(draft) == 1)
  }

  /// Only drafts of processes that have ended are removed; locked drafts, drafts of other monitors, and other files
  /// stay.
  @Test func abandonedDraftsAreSwept() throws {
    let abandoned = try StoreFiles.makeDraft(of: path)
    let held = try StoreFiles.makeDraft(of: path)
    let lock = try StoreFile.open(held)
    let others = [".m.fencepost-short", ".m.fencepost-toolong", "m.fencepost", ".mm.fencepost-abcdef", ".m.fencepost"]
    for name in others { try folder.write([1], to: name) }
    let before = Set(folder.names)
    StoreFiles.sweepDrafts(of: path, beside: nil)
    #expect(Set(folder.names) == before.subtracting([String(abandoned.dropFirst(folder.path.count + 1))]))
    #expect(lock.isSame(as: held))
  }

  @Test func aNameIsGivenOnce() throws {
    let draft = try StoreFiles.makeDraft(of: path)
    try StoreFiles.publish(draft, as: path)
    #expect(folder.names == ["m.fencepost"])
    let late = try StoreFiles.makeDraft(of: path)
    let inUse = MonitorError.monitorInUse("m").description
    #expect(refusal { () throws(StoreFailure) in try StoreFiles.publish(late, as: path) } == inUse)
    #expect(StoreFiles.size(late) != nil && StoreFiles.size(path) == 1)
  }

  @Test func aReplacementKeepsThePermissions() throws {
    try folder.write([1, 2, 3], to: "m.fencepost")
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    let draft = try StoreFiles.makeDraft(of: path)
    try StoreFiles.replace(path, by: draft)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect((attributes[.posixPermissions] as? Int) == 0o640 && folder.names == ["m.fencepost"])
    #expect(StoreFiles.size(path) == 1)
    #expect(refusal { () throws(StoreFailure) in try StoreFiles.replace(path, by: draft) } != nil)
  }

  // MARK: - Bytes

  @Test func aDatabaseIsMarkedAsOneWithALog() throws {
    let bytes = [UInt8](0..<40)
    try folder.write(bytes, to: "m.fencepost")
    try StoreFiles.markLogged(path)
    #expect(try folder.bytes("m.fencepost") == Array(0..<18) + [2, 2] + Array(20..<40))
    #expect(refusal { () throws(StoreFailure) in try StoreFiles.markLogged(folder.file("no")) } != nil)
  }

  @Test func theBeginningOfAFile() throws {
    try folder.write([5, 6, 7], to: "m.fencepost")
    #expect(StoreFiles.beginning(of: path, 2) == [5, 6])
    #expect(StoreFiles.beginning(of: path, 9) == [5, 6, 7])
    #expect(StoreFiles.beginning(of: folder.file("no"), 9) == [])
    #expect(StoreFiles.size(path) == 3 && StoreFiles.size(folder.file("no")) == nil)
  }

  @Test func roomIsWhatTheDiskHas() throws {
    try folder.write([1], to: "m.fencepost")
    #expect(StoreFiles.hasRoom(for: 1, beside: path))
    #expect(!StoreFiles.hasRoom(for: .max / 2, beside: path))
    #expect(!StoreFiles.hasRoom(for: 1, beside: folder.file("no/where")))
  }
}
