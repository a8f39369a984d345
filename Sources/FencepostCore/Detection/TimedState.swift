/// The state of the ``ConditionTiming`` of a condition, for one device.
struct TimedState: Sendable {
  /// Whether the clock is in an interval of the schedule, or there is no schedule.
  var isActive = true
  /// Whether the condition has had all events that it may have.
  var isExhausted = false
  /// Whether the first determination since a start is still to come.
  var hasStarted = false
  /// How many repeats the condition may still have while it stays satisfied.
  var repeatsLeft: UInt32 = 0
  /// When an undetermined shape becomes unsatisfied, in microseconds; `Int64.max` = never.
  var absence: Int64 = .max
  /// When the next repeat is due, in microseconds; `Int64.max` = never.
  var nextRepeat: Int64 = .max
  /// With repeats: the evidence of the change that satisfied the condition, from which they count. Without, see
  /// ``absentSince``. `Int64.min` = none.
  var evidenceDate: Int64 = .min

  /// Whether the condition is not evaluated.
  var isSuspended: Bool { !isActive || isExhausted }

  /// When a shape became unsatisfied although no fix had been seen; `Int64.min` if it did not. It stays so until its next
  /// change, and has seen only later fixes.
  var absentSince: Int64 { nextRepeat == .max ? evidenceDate : .min }

  /// The earlier of the two deadlines.
  var deadline: Int64 { min(absence, nextRepeat) }

  /// Schedules the first repeat after a date: the next multiple of a time since the evidence.
  mutating func setRepeat(after date: Int64, every: Int64) {
    nextRepeat = evidenceDate + ((date - evidenceDate) / every + 1) * every
  }

  /// Forgets everything that is about to happen.
  mutating func forgetDeadlines() {
    absence = .max
    nextRepeat = .max
    repeatsLeft = 0
    evidenceDate = .min
  }
}
