#include "check.h"

const uint8_t beacon_uuid[16] = {0xe2, 0xc5, 0x6d, 0xb5, 0xdf, 0xfb, 0x48, 0xd2,
                                 0xb0, 0x60, 0xd0, 0xf5, 0xa7, 0x10, 0x96, 0xe0};

fencepost_monitor *new_monitor(const fencepost_options *options) {
  fencepost_monitor *monitor = NULL;
  CHECK_OK(fencepost_monitor_create(NULL, options, &monitor, NULL));
  CHECK(monitor != NULL);
  return monitor;
}

fencepost_status feed(fencepost_monitor *monitor, double longitude, int64_t time_us) {
  fencepost_fix fix = {0, longitude, 5, time_us};
  return fencepost_monitor_feed_fix(monitor, &fix, NULL);
}

void add_exact_circle(fencepost_monitor *monitor, const char *identifier, uint64_t tag) {
  fencepost_transition_policy policy = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
  fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
  options.policy = &policy;
  options.tag = tag;
  CHECK_OK(fencepost_monitor_add_circular_condition(monitor, identifier, 0, 0, 1000, &options, NULL));
}

fencepost_event next_event(fencepost_monitor *monitor) {
  fencepost_event event;
  uint32_t available = 7;
  memset(&event, 0, sizeof event);
  CHECK_OK(fencepost_monitor_poll_event(monitor, &event, &available, NULL));
  CHECK_INT(available, 1);
  return event;
}

void expect_no_event(fencepost_monitor *monitor) {
  fencepost_event event;
  uint32_t available = 7;
  CHECK_OK(fencepost_monitor_poll_event(monitor, &event, &available, NULL));
  CHECK_INT(available, 0);
}

fencepost_record record_of(fencepost_monitor *monitor, const char *identifier) {
  fencepost_record record;
  memset(&record, 0, sizeof record);
  CHECK_OK(fencepost_monitor_record(monitor, identifier, &record, NULL));
  return record;
}

fencepost_statistics statistics_of(fencepost_monitor *monitor) {
  fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
  CHECK_OK(fencepost_monitor_statistics(monitor, &statistics, NULL));
  return statistics;
}

snapshot take_snapshot(fencepost_monitor *monitor) {
  snapshot taken;
  memset(&taken, 0, sizeof taken);
  taken.statistics = statistics_of(monitor);
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_identifiers, NULL, 0, &taken.identifiers_size, &taken.count, NULL));
  taken.identifiers = calloc(taken.identifiers_size + 1, 1);
  taken.records = calloc(taken.count + 1, sizeof *taken.records);
  taken.explanations = calloc(taken.count + 1, sizeof *taken.explanations);
  CHECK(taken.identifiers && taken.records && taken.explanations);
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_identifiers, taken.identifiers, taken.identifiers_size + 1,
                  &taken.identifiers_size, NULL, NULL));
  uint64_t after = 0;
  for (size_t index = 0; index < taken.count; index++) {
    uint32_t available = 0;
    fencepost_record *record = &taken.records[index];
    CHECK_OK(next_record(monitor, after, record, &available));
    CHECK_INT(available, 1);
    after = record->condition.generation;
    taken.explanations[index].struct_size = sizeof *taken.explanations;
    CHECK_OK(fencepost_monitor_explain(monitor, record->condition.identifier, &taken.explanations[index], NULL));
  }
  return taken;
}

void expect_unchanged(const char *file, int line, fencepost_monitor *monitor, snapshot *before, uint64_t inputs,
                      uint64_t invalid, uint64_t late) {
  snapshot after = take_snapshot(monitor);
  before->statistics.input_count += inputs;
  before->statistics.invalid_fixes += invalid;
  before->statistics.late_inputs += late;
  if (memcmp(&before->statistics, &after.statistics, sizeof after.statistics) != 0)
    ccase_fail(file, line,
               "the refused call changed the statistics: inputs %llu -> %llu, invalid %llu -> %llu, late %llu -> %llu, "
               "pending %llu -> %llu, clock %lld -> %lld (left: what was expected)",
               (unsigned long long)before->statistics.input_count, (unsigned long long)after.statistics.input_count,
               (unsigned long long)before->statistics.invalid_fixes, (unsigned long long)after.statistics.invalid_fixes,
               (unsigned long long)before->statistics.late_inputs, (unsigned long long)after.statistics.late_inputs,
               (unsigned long long)before->statistics.pending_events,
               (unsigned long long)after.statistics.pending_events, (long long)before->statistics.clock_us,
               (long long)after.statistics.clock_us);
  if (before->count != after.count || before->identifiers_size != after.identifiers_size ||
      memcmp(before->identifiers, after.identifiers, after.identifiers_size) != 0)
    ccase_fail(file, line, "the refused call changed the identifiers");
  if (memcmp(before->records, after.records, after.count * sizeof *after.records) != 0)
    ccase_fail(file, line, "the refused call changed a record");
  if (memcmp(before->explanations, after.explanations, after.count * sizeof *after.explanations) != 0)
    ccase_fail(file, line, "the refused call changed what a condition's detector believes");
  free(before->identifiers);
  free(before->records);
  free(before->explanations);
  free(after.identifiers);
  free(after.records);
  free(after.explanations);
}

fencepost_monitor *busy_monitor(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  add_exact_circle(monitor, "exact", 1);
  CHECK_OK(fencepost_monitor_add_circular_condition(monitor, "standard", 0, 0.05, 1000, NULL, NULL));
  CHECK_OK(fencepost_monitor_add_beacon_condition(monitor, "beacon", beacon_uuid, -1, -1, NULL, NULL));
  CHECK_OK(feed(monitor, 0, SECONDS(0)));
  CHECK_OK(feed(monitor, 0.05, SECONDS(5))); /* the device leaves "exact" and begins to enter "standard" */
  CHECK_INT(statistics_of(monitor).pending_events, 3);
  next_event(monitor);
  CHECK_INT(statistics_of(monitor).pending_events, 2);
  return monitor;
}

void create_refused(fencepost_status expected, const char *name, const fencepost_options *options, const char *part) {
  fencepost_monitor *const marker = (fencepost_monitor *)(uintptr_t)8;
  fencepost_monitor *monitor = marker;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  CHECK_STATUS(fencepost_monitor_create(name, options, &monitor, &error), expected);
  CHECK(monitor == marker);
  CHECK_INT(error.status, expected);
  CHECK_CONTAINS(error.message, part);
  CHECK_STATUS(fencepost_monitor_create(name, options, &monitor, NULL), expected);
}
