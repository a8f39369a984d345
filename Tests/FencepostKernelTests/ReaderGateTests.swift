import CPlatform
import Foundation
import Synchronization
import Testing

@testable import FencepostKernel

@Suite struct ReaderGateTests {
  /// The shared state of a test's threads.
  private final class Shared: Sendable {
    let gate = ReaderGate()
    let order = Lock<[String]>([])
    let isInside = Atomic(false)
    let mayLeave = Atomic(false)
    let isDone = Atomic(false)

    var word: UInt32 {
      UnsafeMutableRawPointer(gate.word).withMemoryRebound(to: Atomic<UInt32>.self, capacity: 1) {
        $0.pointee.load(ordering: .relaxed)
      }
    }
    func note(_ text: String) { order.withLock { $0.append(text) } }
  }

  private static let outside = UInt32(CPLATFORM_OUTSIDE)
  private static let patience = Int(CPLATFORM_PATIENCE)

  /// A writer waits for the reader that is inside the gate. A reader that comes after the gate was closed waits for the
  /// writer.
  @Test func aWriterWaitsForReadersInside() async {
    let shared = Shared()
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        shared.gate.enter {
          shared.isInside.store(true, ordering: .releasing)
          while !shared.mayLeave.load(ordering: .acquiring) { sched_yield() }
          shared.note("inside")
        }
      }
      while !shared.isInside.load(ordering: .acquiring) { sched_yield() }
      let wasClosed = shared.gate.isClosed()
      shared.gate.close()
      let isClosed = shared.gate.isClosed()
      #expect(!wasClosed && isClosed)
      Thread.detachNewThread {
        shared.gate.enter { shared.note("outside") }
        continuation.resume()
      }
      while shared.word & Self.outside == 0 { sched_yield() }
      shared.mayLeave.store(true, ordering: .releasing)
      shared.gate.waitForReaders()
      shared.note("writer")
      shared.gate.open()
    }
    let order = shared.order.withLock { $0 }
    #expect(order == ["inside", "writer", "outside"])
    #expect(shared.word == 0)
  }

  /// A sleeping reader is overtaken only a limited number of times, even by a writer that opens the gate and
  /// immediately closes it again. The writer opens the gate only while the reader sleeps; if readers could not claim
  /// the gate, this reader would hardly ever enter.
  @Test(arguments: 0..<20) func aReaderIsOvertakenALimitedNumberOfTimes(_: Int) async {
    let shared = Shared()
    let closings = await withCheckedContinuation { continuation in
      shared.gate.close()
      Thread.detachNewThread {
        shared.gate.enter { shared.isDone.store(true, ordering: .releasing) }
      }
      var closings = 1
      while closings < 1_000 {
        while shared.word & Self.outside == 0, !shared.isDone.load(ordering: .acquiring) { sched_yield() }
        shared.gate.open()
        if shared.isDone.load(ordering: .acquiring) { break }
        shared.gate.waitForClaims()
        shared.gate.close()
        shared.gate.waitForReaders()
        closings += 1
      }
      continuation.resume(returning: closings)
    }
    // A waiting reader claims the gate after it has been overtaken `patience` times, and then enters before the next
    // closing.
    #expect(closings <= Self.patience + 2)
  }

  #if os(Linux)
    /// A reader that has slept often enough claims the gate; then the next writer waits until this reader has entered.
    @Test func aClaimComesBeforeTheNextClosing() async {
      let shared = Shared()
      shared.gate.close()
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          shared.gate.enter { shared.isDone.store(true, ordering: .releasing) }
          continuation.resume()
        }
        // Wakes the reader while the gate stays closed: to the reader, this looks as if a writer had opened the gate
        // and closed it again.
        for _ in 0..<100_000 where shared.word & UInt32(CPLATFORM_CLAIMED) == 0 {
          cplatform_leave_slowly(shared.gate.word, 1)
          usleep(100)
        }
        #expect(shared.word & UInt32(CPLATFORM_CLAIMED) != 0)
        shared.gate.open()
        shared.gate.waitForClaims()
        shared.gate.close()
        shared.gate.waitForReaders()
        let isDone = shared.isDone.load(ordering: .acquiring)
        #expect(isDone)
        shared.gate.open()
      }
      #expect(shared.word == 0)
    }
  #endif

  /// Readers never see a half-written change. If a wake-up were lost, a thread would wait forever, and the test would
  /// not end.
  @Test func excludesAndLosesNoWake() async {
    let shared = Pair()
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<6 {
        group.addTask {
          await withCheckedContinuation { continuation in
            Thread.detachNewThread {
              for round in 0..<3_000 { thread < 4 ? shared.compare(round) : shared.change(round) }
              continuation.resume()
            }
          }
        }
      }
    }
    #expect(shared.mismatches.load(ordering: .relaxed) == 0)
    let values = shared.values.pointee
    #expect(values.0 == 6_000 && values.1 == 6_000)
  }

  private final class Pair: Sendable {
    let gates = [Entrance(), Entrance()]
    let writers = Lock(())
    let mismatches = Atomic(0)
    nonisolated(unsafe) let values: UnsafeMutablePointer<(Int, Int)>

    final class Entrance: Sendable {
      let gate = ReaderGate()
    }

    init() {
      values = .allocate(capacity: 1)
      values.initialize(to: (0, 0))
    }
    deinit { values.deallocate() }

    func compare(_ round: Int) {
      gates[round % 2].gate.enter {
        let first = values.pointee.0
        if round % 50 == 0 { sched_yield() }
        if first != values.pointee.1 { mismatches.add(1, ordering: .relaxed) }
      }
    }

    func change(_ round: Int) {
      writers.withLock { _ in
        for each in gates { each.gate.waitForClaims() }
        for each in gates { each.gate.close() }
        for each in gates { each.gate.waitForReaders() }
        values.pointee.0 += 1
        if round % 50 == 0 { sched_yield() }
        values.pointee.1 += 1
        for each in gates { each.gate.open() }
      }
    }
  }
}
