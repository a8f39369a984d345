import CFencepost
import Fencepost
import Testing

@testable import FencepostABI

/// Tests how the library reads structures of callers that were compiled for other versions: such a structure is shorter
/// or longer than in this version, or missing.
@Suite struct SizedStructTests {
  private let defaults = fencepost_plan_options(struct_size: 0, slots: 20, margin_m: 3, maximum_radius_m: 100_000)
  private let size = MemoryLayout<fencepost_plan_options>.size

  /// Reads a structure that states a given size and is filled with a given byte. The memory that is read ends right
  /// after the structure.
  private func read(_ stated: Int, fill: UInt8 = 0, bytes: Int? = nil) throws(BoundaryError) -> fencepost_plan_options {
    let count = bytes ?? stated
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 8), alignment: 8)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: fill)
    memory.storeBytes(of: UInt32(stated), as: UInt32.self)
    let pointer = UnsafePointer(memory.baseAddress!.assumingMemoryBound(to: fencepost_plan_options.self))
    return try SizedStruct.read(pointer, defaults: defaults, "options")
  }

  @Test func whatACallerDoesNotKnowKeepsItsDefault() throws {
    #expect(try read(size).margin_m == 0)
    let old = try read(8)
    #expect(old.slots == 0 && old.margin_m == 3 && old.maximum_radius_m == 100_000)
    let older = try read(16)
    #expect(older.margin_m == 0 && older.maximum_radius_m == 100_000)
  }

  @Test func whatTheLibraryDoesNotKnowMustBeZero() throws {
    #expect(try read(size + 64).slots == 0)
    for place in [size, size + 63] {
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size + 64, alignment: 8)
      defer { memory.deallocate() }
      memory.initializeMemory(as: UInt8.self, repeating: 0)
      memory.storeBytes(of: UInt32(size + 64), as: UInt32.self)
      memory[place] = 1
      let pointer = UnsafePointer(memory.baseAddress!.assumingMemoryBound(to: fencepost_plan_options.self))
      #expect(throws: BoundaryError.self) { try SizedStruct.read(pointer, defaults: defaults, "options") }
    }
  }

  /// An impossible size is reported differently from the size of another version, and no memory beyond the structure is
  /// read.
  @Test(arguments: [0, 1, 4, 7, 9, 12, 4_097, 4_104, Int(UInt32.max)]) func otherSizesAreRefused(stated: Int) {
    do throws(BoundaryError) {
      _ = try read(stated, bytes: 8)
      Issue.record("accepted \(stated)")
    } catch {
      #expect(error.status == fencepost_status(FENCEPOST_E_INVALID_ARGUMENT))
      #expect(error.description == "struct_size of options is \(stated); initialise it with its INIT macro")
    }
  }

  /// Writing stops at the end of the caller's structure, and the structure's size member does not change.
  @Test func writesNoMoreThanTheCallerKnows() throws {
    let full = MemoryLayout<fencepost_plan>.size
    for stated in stride(from: 8, through: full + 16, by: 8) {
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: full + 32, alignment: 8)
      defer { memory.deallocate() }
      memory.initializeMemory(as: UInt8.self, repeating: 0xAA)
      memory.storeBytes(of: UInt32(stated), as: UInt32.self)
      let plan = fencepost_plan(
        struct_size: 77, follow: 1, has_wake_up: 1, reserved: 0, wake_up_latitude: 1, wake_up_longitude: 2,
        wake_up_radius_m: 3, next_start_us: 4)
      try SizedStruct.write(
        plan, to: memory.baseAddress!.assumingMemoryBound(to: fencepost_plan.self), "out_plan")
      #expect(memory.load(as: UInt32.self) == UInt32(stated))
      let written = min(stated, full)
      #expect(memory[written...].allSatisfy { $0 == 0xAA }, "\(stated)")
      withUnsafeBytes(of: plan) { plan in
        #expect(memory[4..<written].elementsEqual(plan[4..<written]), "\(stated)")
      }
    }
  }
}
