/// The bytes of a schedule: the edges of its intervals, as differences from the edge before. A periodic run needs the
/// differences of one period. If its differences are those of the periodic run before it, rotated by some places, it
/// needs only the number of these places.
///
/// A schedule without a periodic run begins with the number of edges plus 1, which is not 0, the mark of a condition
/// without a schedule; one with a periodic run begins with the negative number of edges. Each run then begins with the
/// number of differences in a period; with 0 if it is not periodic; or with −1 minus the number of places. The number
/// of edges of the run follows, then the differences.
extension Schedule {
  @_optimize(size)
  func encode(to writer: inout ByteWriter) {
    let isPeriodic = runs.runs.contains { $0.period > 0 }
    writer.putNumber(Int64(isPeriodic ? -runs.count : runs.count + 1))
    writer.putNumber(end)
    var last: Int64 = 0
    var before: ContiguousArray<Int64> = []
    for (number, run) in runs.runs.enumerated() {
      let count = runs.count(of: number)
      if isPeriodic {
        let differences = runs.differences(of: number)
        let rotation = run.period > 0 ? Self.rotation(of: differences, in: before) : nil
        writer.putNumber(Int64(rotation.map { -1 - $0 } ?? differences.count))
        writer.putNumber(Int64(count))
        if run.period > 0 {
          writer.putNumber(run.start - last)
          if rotation == nil { for difference in differences { writer.putNumber(difference) } }
          before = differences
          last = runs[run.first + count - 1]
          continue
        }
      }
      for index in run.first..<(run.first + count) {
        writer.putNumber(runs[index] - last)
        last = runs[index]
      }
    }
  }

  /// Returns by how many places other differences must be rotated to equal these, or `nil` if they never do.
  @_optimize(size)
  private static func rotation(of differences: ContiguousArray<Int64>, in before: ContiguousArray<Int64>) -> Int? {
    guard differences.count == before.count else { return nil }
    return before.indices.first { places in
      differences.indices.allSatisfy { differences[$0] == before[($0 + places) % before.count] }
    }
  }

  /// Reads a schedule; `nil` for a condition without a schedule.
  @_optimize(size)
  static func read(from reader: inout ByteReader) throws(Damage) -> Schedule? {
    let mark = try reader.takeSigned()
    guard mark != 0 else { return nil }
    let count = mark > 0 ? mark - 1 : -max(mark, -.max)
    guard count % 2 == 0, count <= 2 * mostIntervals else { throw Damage("the schedule of a condition is invalid") }
    let end = try reader.takeSigned()
    var edges: ContiguousArray<Int64> = []
    var last: Int64 = 0
    var before: ContiguousArray<Int64> = []
    while edges.count < count {
      let head = mark > 0 ? 0 : try reader.takeSigned()
      let length = mark > 0 ? count : try reader.takeSigned()
      guard 1...(count - Int64(edges.count)) ~= length, -Int64(before.count)...Int64(EdgeRuns.mostWidth) ~= head else {
        throw Damage("the schedule of a condition is invalid")
      }
      if head == 0 {
        for _ in 0..<length {
          last &+= try reader.takeSigned()
          edges.append(last)
        }
        continue
      }
      last &+= try reader.takeSigned()
      if head > 0 {
        before = []
        for _ in 0..<head { before.append(try reader.takeSigned()) }
      } else {
        before = before.rotated(by: Int(-1 - head))
      }
      edges.append(last)
      for index in 1..<Int(length) {
        last &+= before[(index - 1) % before.count]
        edges.append(last)
      }
    }
    do throws(MonitorError) {
      return try .checked(edges, until: end == .max ? nil : end)
    } catch { throw Damage("the schedule of a condition is invalid") }
  }
}

extension EdgeRuns {
  /// The times from each edge of a period of a run to the next one, in microseconds; empty if the run is not periodic.
  @inline(never) @_optimize(size)
  fileprivate func differences(of number: Int) -> ContiguousArray<Int64> {
    let run = runs[number]
    var differences: ContiguousArray<Int64> = []
    guard run.period > 0 else { return differences }
    for index in 0..<run.width {
      let next = index + 1 < run.width ? offsets[run.place + index + 1] : run.period
      differences.append(next - offsets[run.place + index])
    }
    return differences
  }
}

extension ContiguousArray<Int64> {
  /// Returns the elements with the one at an index first, and those before it at the end.
  @inline(never) @_optimize(size)
  fileprivate func rotated(by places: Int) -> ContiguousArray<Int64> {
    var result: ContiguousArray<Int64> = []
    for index in indices { result.append(self[(index + places) % count]) }
    return result
  }
}
