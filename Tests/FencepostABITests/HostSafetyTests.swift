import Foundation
import Testing

/// Loading and using the release library changes nothing in the host process: see host_safety.c.
@Suite("Host safety")
struct HostSafetyTests {
  @Test(.enabled(if: Project.testsLibrary, "bindings/c/build.sh has not been run"))
  func loadingLeavesTheHostAlone() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "fencepost-host-safety-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = folder.appending(path: "host_safety").path
    let built = try Project.run([
      "gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-I", Project.root.appending(path: "include").path,
      Project.root.appending(path: "Tests/FencepostABITests/host_safety.c").path, "-o", program, "-ldl",
    ])
    try #require(built.status == 0, "\(built.output)")
    let ran = try Project.run([program, Project.library.path, folder.path])
    #expect(ran.status == 0, "\(ran.output)")
    #expect(ran.output.contains("the host is unchanged"))
  }
}
