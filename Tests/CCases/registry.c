#include "include/cases.h"

#include <setjmp.h>
#include <stdarg.h>

#include "check.h"

extern const ccase_area area_status, area_monitor, area_structures, area_conditions, area_records, area_explain,
    area_inputs, area_events, area_json, area_errors, area_geodesy, area_hostile, area_planning, area_plausibility,
    area_threads, area_columns, area_wakeup, area_store, area_snapshot, area_stress, area_beacons, area_counts,
    area_growth, area_batches, area_store_files, area_times, area_sets, area_cancel, area_shapes, area_questions,
    area_tables, area_fleet, area_fleet_columns, area_fleet_delivery, area_fleet_devices, area_fleet_misuse,
    area_fleet_store, area_fleet_threads, area_path, area_lines, area_fleet_path, area_order, area_timing, area_height,
    area_rules;

static const ccase_area *const areas[] = {
    &area_status,       &area_monitor,     &area_structures,    &area_conditions,     &area_records,
    &area_explain,      &area_inputs,      &area_events,        &area_json,           &area_errors,
    &area_geodesy,      &area_hostile,     &area_planning,      &area_plausibility,   &area_threads,
    &area_columns,      &area_wakeup,      &area_store,         &area_snapshot,       &area_stress,
    &area_beacons,      &area_counts,      &area_growth,        &area_batches,        &area_store_files,
    &area_times,        &area_sets,        &area_cancel,        &area_shapes,         &area_questions,
    &area_tables,       &area_fleet,       &area_fleet_columns, &area_fleet_delivery, &area_fleet_devices,
    &area_fleet_misuse, &area_fleet_store, &area_fleet_threads, &area_path,           &area_lines,
    &area_fleet_path,   &area_order,       &area_timing,        &area_height,         &area_rules};

typedef struct running {
  jmp_buf end;
  char *buffer;
  size_t capacity;
} running;

static _Thread_local running *current;

static const ccase *find(size_t index) {
  for (size_t area = 0; area < sizeof(areas) / sizeof(areas[0]); area++) {
    if (index < areas[area]->count) return &areas[area]->cases[index];
    index -= areas[area]->count;
  }
  return NULL;
}

size_t ccase_count(void) {
  size_t count = 0;
  for (size_t area = 0; area < sizeof(areas) / sizeof(areas[0]); area++) count += areas[area]->count;
  return count;
}

const char *ccase_name(size_t index) {
  const ccase *found = find(index);
  return found ? found->name : NULL;
}

int ccase_run(size_t index, char *buffer, size_t capacity) {
  const ccase *found = find(index);
  running here;
  here.buffer = buffer;
  here.capacity = capacity;
  if (found == NULL) {
    snprintf(buffer, capacity, "there is no case %zu", index);
    return 0;
  }
  current = &here;
  if (setjmp(here.end)) {
    current = NULL;
    return 0;
  }
  found->run();
  current = NULL;
  return 1;
}

void ccase_fail(const char *file, int line, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (current == NULL) { /* this thread was started by a case, so no case is current here */
    vfprintf(stderr, format, arguments);
    fprintf(stderr, " at %s:%d\n", file, line);
    abort();
  }
  int used = snprintf(current->buffer, current->capacity, "%s:%d: ", file, line);
  if (used > 0 && (size_t)used < current->capacity)
    vsnprintf(current->buffer + used, current->capacity - (size_t)used, format, arguments);
  va_end(arguments);
  longjmp(current->end, 1);
}

void check_text(const char *file, int line, const char *what, const char *got, const char *expected) {
  if (got == NULL || strcmp(got, expected) != 0)
    ccase_fail(file, line, "%s is \"%s\", expected \"%s\"", what, got ? got : "(NULL)", expected);
}
