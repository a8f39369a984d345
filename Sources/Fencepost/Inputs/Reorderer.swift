import FencepostKernel

/// Puts inputs that arrive late into the order of their times, before a monitor or fleet is fed.
///
/// The reorderer holds the items of each device. It releases an item when the largest time seen from the item's device
/// is at least the window later than the item. If a device has more than ``limit`` items, its earliest item is released.
/// A device's items are released in order of time; items with the same time are released in order of arrival.
///
/// ```swift
/// var reorderer = try Reorderer<String, Fix>(windowMicroseconds: 60_000_000)
/// for fix in try reorderer.add(arrived, for: "phone") { try await fleet.feed(fix, for: "phone") }
/// ```
///
/// No item is dropped. An item that is too late for the window is released at once, out of order; the engine then counts
/// it as late. A wrong time in the future ends the window of its device early, so check such times before you add the
/// item. Memory grows with the number of held items only: a device without held items is forgotten, and its next item
/// begins a new window.
public struct Reorderer<Device: Hashable & Sendable, Item: Sendable>: Sendable {
  /// The time span for which items are held, in microseconds.
  public let windowMicroseconds: Int64
  /// The maximum number of items that are held for each device.
  public let limit: Int
  /// The number of held items.
  public private(set) var count = 0

  private var held: [Device: HeldItems<Item>] = [:]
  private var arrivals: UInt64 = 0

  /// - Parameters:
  ///   - windowMicroseconds: The time span for which items are held, 0 … 10¹⁵.
  ///   - limit: The maximum number of items to hold for each device, 1 … 1 000 000.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if a value is out of its range.
  public init(windowMicroseconds: Int64, limit: Int = 1_000) throws(MonitorError) {
    let longest: Int64 = 1_000_000_000_000_000
    guard (0...longest).contains(windowMicroseconds) else {
      throw .invalidArgument("window is \(windowMicroseconds) microseconds; must be from 0 to \(longest)")
    }
    guard (1...1_000_000).contains(limit) else {
      throw .invalidArgument("limit is \(limit); must be from 1 to 1000000")
    }
    self.windowMicroseconds = windowMicroseconds
    self.limit = limit
  }

  /// The devices that have held items, in no particular order.
  public var devices: [Device] { Array(held.keys) }

  /// Adds an item at its arrival; returns the items of its device that are released now, in order of time.
  ///
  /// - Parameters:
  ///   - item: A fix, a sighting, or any other value.
  ///   - time: The time of the item.
  ///   - device: The device; if there is only one device, pass the same value for each item.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the time is outside the years 1 to 9999. The item is
  ///   then not added.
  /// - Complexity: O(log n) for n held items of the device, and for each released item.
  public mutating func add(_ item: Item, at time: Timestamp, for device: Device) throws(MonitorError) -> [Item] {
    try Self.check(time)
    let row = HeldItem(time: time, arrival: arrivals, item: item)
    arrivals += 1
    guard held[device] != nil else {
      // The first item of a window is at least the window earlier than itself only if the window is 0.
      guard windowMicroseconds > 0 else { return [item] }
      held[device] = HeldItems(row)
      count += 1
      return []
    }
    count += 1
    let released = held[device]?.add(row, windowMicroseconds: windowMicroseconds, limit: limit) ?? []
    forget(device, released.count)
    return released.map(\.item)
  }

  /// Lets time pass for one device: counts `time` as a time that was seen from the device. Returns the items that are
  /// released now, in order of time.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the time is outside the years 1 to 9999.
  public mutating func advance(to time: Timestamp, for device: Device) throws(MonitorError) -> [Item] {
    try Self.check(time)
    let released = held[device]?.advance(to: time, windowMicroseconds: windowMicroseconds) ?? []
    forget(device, released.count)
    return released.map(\.item)
  }

  /// Lets time pass for all devices: counts `time` as a time that was seen from each device with held items. Returns
  /// the items that are released now, in order of time. The items of silent devices are released in this way.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the time is outside the years 1 to 9999.
  public mutating func advance(to time: Timestamp) throws(MonitorError) -> [Item] {
    try Self.check(time)
    var released: [HeldItem<Item>] = []
    for device in devices {
      let found = held[device]?.advance(to: time, windowMicroseconds: windowMicroseconds) ?? []
      forget(device, found.count)
      released += found
    }
    released.sort(by: HeldItem.precedes)
    return released.map(\.item)
  }

  /// Releases the held items of one device, in order of time, and forgets the device.
  public mutating func flush(_ device: Device) -> [Item] {
    guard let rows = held.removeValue(forKey: device)?.rows else { return [] }
    count -= rows.count
    return rows.elements.sorted(by: HeldItem.precedes).map(\.item)
  }

  /// Releases all held items, in order of time, and forgets the devices.
  public mutating func flush() -> [Item] {
    let released = held.values.flatMap(\.rows.elements).sorted(by: HeldItem.precedes)
    held.removeAll()
    count = 0
    return released.map(\.item)
  }

  private static func check(_ time: Timestamp) throws(MonitorError) {
    guard time.isValid else {
      throw .invalidArgument(
        "time is \(time.microseconds) microseconds; must be from \(Timestamp.earliest) to \(Timestamp.latest)")
    }
  }

  /// Counts released items, and forgets the device if it has no more items.
  private mutating func forget(_ device: Device, _ released: Int) {
    count -= released
    if held[device]?.rows.count == 0 { held[device] = nil }
  }
}

extension Reorderer where Item == Fix {
  /// Adds a fix at its arrival; returns the fixes of its device that are released now, in order of time.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the time is outside the years 1 to 9999. The fix is then
  ///   not added.
  public mutating func add(_ fix: Fix, for device: Device) throws(MonitorError) -> [Fix] {
    try add(fix, at: fix.time, for: device)
  }
}

/// A held item, with its time and its number in the order of arrival.
private struct HeldItem<Item: Sendable>: Sendable {
  var time: Timestamp
  var arrival: UInt64
  var item: Item

  static func precedes(_ left: Self, _ right: Self) -> Bool {
    (left.time.microseconds, left.arrival) < (right.time.microseconds, right.arrival)
  }
}

/// The held items of a device; there is at least one.
private struct HeldItems<Item: Sendable>: Sendable {
  var rows = BinaryHeap<HeldItem<Item>>()
  /// The largest time that was seen from the device.
  var largest: Timestamp

  init(_ row: HeldItem<Item>) {
    largest = row.time
    rows.insert(row, by: HeldItem.precedes)
  }

  mutating func add(_ row: HeldItem<Item>, windowMicroseconds: Int64, limit: Int) -> [HeldItem<Item>] {
    rows.insert(row, by: HeldItem.precedes)
    largest = max(largest, row.time)
    return release(windowMicroseconds, limit)
  }

  mutating func advance(to time: Timestamp, windowMicroseconds: Int64) -> [HeldItem<Item>] {
    largest = max(largest, time)
    return release(windowMicroseconds, .max)
  }

  /// Removes and returns the items that are due, or that exceed the limit.
  private mutating func release(_ windowMicroseconds: Int64, _ limit: Int) -> [HeldItem<Item>] {
    // Valid times and windows are so small that the difference does not overflow.
    let due = largest.microseconds - windowMicroseconds
    var released: [HeldItem<Item>] = []
    while let first = rows.first, first.time.microseconds <= due || rows.count > limit {
      released.append(first)
      rows.removeFirst(by: HeldItem.precedes)
    }
    return released
  }
}
