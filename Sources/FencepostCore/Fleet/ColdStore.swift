/// The stored data of each device that is not in its line: records of words. Each size class of records has an arena.
///
/// The type has value semantics: ``own()`` must be called before each change.
struct ColdStore: Sendable {
  static let none = UInt32.max
  /// The number of low bits of a handle, which are the record's index within its class.
  private static let indexBits: UInt32 = 26
  /// The largest number of records in a class.
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

  /// The arena of one record size.
  private struct SizeClass {
    var arena: Arena?
    var count = 0
    /// The first free record plus 1; a free record contains the number of the next free record plus 1.
    var free: UInt64 = 0
    var freeCount = 0
  }

  private var classes: ContiguousArray<SizeClass> = []

  /// The number of words of a class: 6, 8, 12, 16, 24, 32 …
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

  /// Copies the arenas that are shared, so that changes do not affect other copies of the value.
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

  /// Allocates a record for a number of words. The old record is reused if it is in the same size class, and freed
  /// otherwise.
  ///
  /// - Returns: The handle and the words, which are not initialised.
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

  /// The number of records in use.
  var count: Int { classes.reduce(0) { $0 + $1.count - $1.freeCount } }

  /// The size of all records in bytes, including free ones.
  var byteCount: Int { classes.indices.reduce(0) { $0 + classes[$1].count * Self.size($1) * 8 } }
}
