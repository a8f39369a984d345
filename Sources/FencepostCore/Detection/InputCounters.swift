/// How many inputs of each kind came from one device, and what became of them. See ``MonitorStatistics``, which shows them.
struct InputCounters: Sendable, Equatable {
  var inputCount: UInt64 = 0
  var acceptedFixes: UInt64 = 0
  var invalidFixes: UInt64 = 0
  var lateInputs: UInt64 = 0
  var aheadInputs: UInt64 = 0
  var acceptedSightings: UInt64 = 0
}
