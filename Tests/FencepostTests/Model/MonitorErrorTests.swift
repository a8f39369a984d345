import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct MonitorErrorTests {
  @Test(arguments: [
    MonitorError.invalidArgument("radius is -1", position: 3), .invalidName("a.b"), .monitorInUse("m"),
    .consumerAlreadyActive, .notFound("c"),
    .lateInput(time: at(1), clock: at(2)), .aheadOfClock(time: at(9), clock: at(2), limit: 5),
    .queueFull(limit: 10, position: 1), .internalInconsistency("x"),
  ])
  func messagesAreOneLine(_ error: MonitorError) {
    #expect(!error.description.isEmpty)
    #expect(!error.description.contains("\n"))
  }

  @Test func messagesNameTheCause() {
    #expect(MonitorError.lateInput(time: at(1), clock: at(2)).description.contains("1970-01-01T00:00:01.000000Z"))
    #expect(MonitorError.notFound("home").description.contains("\"home\""))
    #expect(MonitorError.queueFull(limit: 10).description.contains("10"))
  }
}
