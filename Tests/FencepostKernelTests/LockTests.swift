import CPlatform
import Foundation
import Synchronization
import Testing

@testable import FencepostKernel

@Suite struct LockTests {
  /// The shared state of a test's threads.
  private final class Shared: Sendable {
    let lock = Lock<[String]>([])
    let isDone = Atomic(false)

    var word: UInt32 {
      let address = UnsafeMutableRawPointer(lock.word).assumingMemoryBound(to: UInt32.self)
      return address.withMemoryRebound(to: Atomic<UInt32>.self, capacity: 1) { $0.pointee.load(ordering: .relaxed) }
    }
  }

  /// A thread that retakes the lock right after releasing it overtakes a waiting thread at most once. The thread that
  /// holds the lock releases it only when the other thread is waiting, and then retakes it at once; without a
  /// reservation, the waiting thread would never get the lock.
  @Test(arguments: 0..<20) func overtakesAWaitingThreadOnce(_: Int) async {
    let shared = Shared()
    await withCheckedContinuation { continuation in
      shared.lock.lock()
      Thread.detachNewThread {
        shared.lock.withLock { $0.append("waiter") }
        shared.isDone.store(true, ordering: .releasing)
      }
      Thread.detachNewThread { [shared] in
        // Release a lock that another thread has taken, because a lock does not belong to a thread.
        while shared.word & 2 == 0 { sched_yield() }
        shared.lock.unlock()
        for _ in 0..<50 where !shared.isDone.load(ordering: .acquiring) {
          shared.lock.lock()
          shared.lock.value.pointee.append("holder")
          while shared.word == 1, !shared.lock.value.pointee.contains("waiter") { sched_yield() }
          shared.lock.unlock()
        }
        continuation.resume()
      }
    }
    let holds = shared.lock.withLock { $0 }
    #expect(holds.prefix(2).contains("waiter"), "\(holds)")
  }

  /// At most one thread holds the lock at a time. Each thread gets the lock sooner or later, so no wake-up is lost.
  @Test func excludesAndLosesNoWake() async {
    let shared = Counter()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<6 {
        group.addTask {
          await withCheckedContinuation { continuation in
            Thread.detachNewThread {
              for round in 0..<3_000 {
                shared.lock.lock()
                let before = shared.lock.value.pointee
                if round % 50 == 0 { sched_yield() }
                shared.lock.value.pointee = before + 1
                shared.lock.unlock()
              }
              continuation.resume()
            }
          }
        }
      }
    }
    let count = shared.lock.withLock { $0 }
    #expect(count == 18_000)
  }

  private final class Counter: Sendable {
    let lock = Lock(0)
  }
}
