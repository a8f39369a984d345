/// The starts and ends of the intervals of a schedule, in order of time, in a form whose size depends on the distinct
/// weeks and not on the number of weeks.
///
/// The edges are divided into runs. In a periodic run, each edge is a period later than the one `width` places before
/// it: opening hours repeat every week until the clocks change, so a year of opening hours has three runs. Equal edges
/// have equal runs, because ``init(_:)`` makes the runs from the edges alone.
struct EdgeRuns: Sendable, Equatable {
  struct Run: Sendable, Equatable {
    /// The number of edges before the run.
    var first: Int
    /// The first edge, in microseconds.
    var start: Int64
    /// The time after which the run repeats itself, in microseconds; 0 if the run is not periodic.
    var period: Int64
    /// Where the offsets of the run begin in ``EdgeRuns/offsets``.
    var place: Int
    /// The number of offsets.
    var width: Int
  }

  /// The largest number of edges in a period: 64 intervals a week.
  static var mostWidth: Int { 128 }
  /// The smallest number of edges that a periodic run may repeat, so that a short list has one run.
  private static var leastRepeated: Int { 8 }

  private(set) var runs: ContiguousArray<Run> = []
  /// The times of the edges of one period after the start of their run, in microseconds.
  private(set) var offsets: ContiguousArray<Int64> = []
  private(set) var count = 0

  /// - Parameter edges: Valid times, each greater than the one before.
  @_optimize(size)
  init(_ edges: ContiguousArray<Int64>) {
    count = edges.count
    var first = 0
    while first < edges.count {
      var (width, repeated) = Self.period(of: edges, from: first)
      var period: Int64 = 0
      var next = first + width + repeated
      if repeated == 0 {
        // Not periodic: the run ends where a periodic run begins.
        next = first + 1
        while next < edges.count, Self.period(of: edges, from: next).repeated == 0 { next += 1 }
        width = next - first
      } else {
        period = edges[first + width] - edges[first]
      }
      runs.append(Run(first: first, start: edges[first], period: period, place: offsets.count, width: width))
      for index in first..<(first + width) { offsets.append(edges[index] - edges[first]) }
      first = next
    }
  }

  /// Returns the period that repeats the most edges, beginning with a certain edge.
  ///
  /// - Returns: The number of edges in the period, and the number of edges after these that are each a period later
  ///   than the edge `width` places before; 0 without a period.
  @_optimize(size)
  private static func period(of edges: ContiguousArray<Int64>, from first: Int) -> (width: Int, repeated: Int) {
    var best = (width: 0, repeated: 0)
    var width = 1
    while width <= mostWidth, first + width + max(width, leastRepeated, best.repeated) < edges.count {
      let period = edges[first + width] - edges[first]
      var index = first + width + 1
      while index < edges.count, edges[index] - edges[index - width] == period { index += 1 }
      let repeated = index - first - width
      if repeated >= max(width, leastRepeated), repeated > best.repeated { best = (width, repeated) }
      width += 1
    }
    return best
  }

  /// Returns the number of edges in a run.
  func count(of run: Int) -> Int { (run + 1 < runs.count ? runs[run + 1].first : count) - runs[run].first }

  /// Returns the edge with an index, in microseconds.
  subscript(index: Int) -> Int64 {
    var low = 0
    var high = runs.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if runs[middle].first <= index { low = middle } else { high = middle }
    }
    let run = runs[low]
    let (turn, place) = (index - run.first).quotientAndRemainder(dividingBy: run.width)
    return run.start + Int64(turn) * run.period + offsets[run.place + place]
  }

  /// Returns the number of edges up to and at a time.
  @inline(never) @_optimize(size)
  func count(through time: Int64) -> Int {
    var low = 0
    var high = runs.count
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].start <= time { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return 0 }
    let run = runs[low - 1]
    let count = count(of: low - 1)
    var elapsed = time.subtractingReportingOverflow(run.start).partialValue
    if elapsed < 0 { elapsed = .max }
    var passed = 0
    if run.period > 0 {
      // The time may be long after the end of the run.
      let turns = min(elapsed / run.period, Int64(count))
      elapsed -= turns * run.period
      passed = Int(turns) * run.width
    }
    low = run.place
    high = run.place + run.width
    while low < high {
      let middle = (low + high) / 2
      if offsets[middle] <= elapsed { low = middle + 1 } else { high = middle }
    }
    return run.first + min(passed + low - run.place, count)
  }
}
