import Foundation
import Testing

/// Runs examples/swift, which is built together with the tests.
@Suite(.timeLimit(.minutes(10))) struct QuickstartTests {
  @Test func printsWhatIsExpected() throws {
    let tests = try #require(Bundle.main.executableURL)
    let program = tests.deletingLastPathComponent().appending(path: "quickstart")
    try #require(FileManager.default.isExecutableFile(atPath: program.path), "\(program.path) was not built")
    let process = Process()
    let pipe = Pipe()
    process.executableURL = program
    process.standardOutput = pipe
    try process.run()
    let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let expected = try String(contentsOf: packageRoot.appending(path: "examples/swift/expected.txt"), encoding: .utf8)
    #expect(output == expected)
  }
}
