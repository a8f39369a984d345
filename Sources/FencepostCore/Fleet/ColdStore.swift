/// What is kept of each device beside its line: records of words, each in the arena of its size class.
///
/// A value: whoever changes it calls ``own()`` first.
struct ColdStore: Sendable {
  static let none = UInt32.max
  /// Bits of a handle that number the place within its class.
  private static let indexBits: UInt32 = 26
  /// A class has room for so many records.
  static let mostRecords = 1 << Int(indexBits) - 1

  private final class Arena: @unchecked Sendable {
    let words: UnsafeMutablePointer<UInt64>
    let capacity: Int

    init(capacity: Int) {
      self.capacity = capacity
      words = .allocate(capacity: capacity)
    }

    deinit { words.deallocate() }
  }

  /// The places of one size.
  private struct SizeClass {
    var arena: Arena?
    var count = 0
    /// The first free place plus 1, which holds the next one plus 1.
    var free: UInt64 = 0
    var freeCount = 0
  }

  private var classes: ContiguousArray<SizeClass> = []

  /// Words of a class: 6, 8, 12, 16, 24, 32 …
  @inline(__always)
  private static func size(_ number: Int) -> Int { (number & 1 == 0 ? 6 : 8) << (number / 2) }

  @inline(__always)
  private static func sizeClass(_ words: Int) -> Int {
    var number = 0
    while size(number) < words { number += 1 }
    return number
  }

  @inline(__always)
  private static func split(_ handle: UInt32) -> (number: Int, index: Int) {
    (Int(handle >> indexBits), Int(handle & (1 << indexBits - 1)))
  }

  /// Makes sure that nobody else sees what is changed.
  mutating func own() {
    for number in classes.indices where classes[number].arena != nil {
      if !isKnownUniquelyReferenced(&classes[number].arena) { grow(number, by: 0) }
    }
  }

  /// The words of a record.
  @inline(__always)
  func words(_ handle: UInt32) -> UnsafeMutablePointer<UInt64> {
    let (number, index) = Self.split(handle)
    return classes[number].arena.unsafelyUnwrapped.words + index &* Self.size(number)
  }

  /// Room for so many words: that of a record which is given up for it, if it is of the size, else another one.
  ///
  /// - Returns: The record, and where it is; its words are not set.
  mutating func room(for count: Int, insteadOf old: UInt32) -> (handle: UInt32, words: UnsafeMutablePointer<UInt64>) {
    let number = Self.sizeClass(count)
    if old != Self.none {
      if Self.split(old).number == number { return (old, words(old)) }
      free(old)
    }
    while classes.count <= number { classes.append(SizeClass()) }
    let index: Int
    if classes[number].free != 0 {
      index = Int(classes[number].free) - 1
      classes[number].free = classes[number].arena.unsafelyUnwrapped.words[index * Self.size(number)]
      classes[number].freeCount -= 1
    } else {
      index = classes[number].count
      if (index + 1) * Self.size(number) > classes[number].arena?.capacity ?? 0 { grow(number, by: 1) }
      classes[number].count += 1
    }
    let handle = UInt32(number) << Self.indexBits | UInt32(index)
    return (handle, words(handle))
  }

  mutating func free(_ handle: UInt32) {
    guard handle != Self.none else { return }
    let (number, index) = Self.split(handle)
    classes[number].arena.unsafelyUnwrapped.words[index * Self.size(number)] = classes[number].free
    classes[number].free = UInt64(index) + 1
    classes[number].freeCount += 1
  }

  private mutating func grow(_ number: Int, by more: Int) {
    let used = classes[number].count * Self.size(number)
    let old = classes[number].arena
    let wanted = max(16, classes[number].count + (more > 0 ? classes[number].count / 2 + more : 0))
    let larger = Arena(capacity: more > 0 ? wanted * Self.size(number) : max(old?.capacity ?? 0, used))
    if let old { larger.words.update(from: old.words, count: used) }
    classes[number].arena = larger
  }

  /// Records that are used.
  var count: Int { classes.reduce(0) { $0 + $1.count - $1.freeCount } }

  /// Bytes of the records, used or not.
  var byteCount: Int { classes.indices.reduce(0) { $0 + classes[$1].count * Self.size($1) * 8 } }
}
