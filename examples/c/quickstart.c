/* Sixty seconds of Fencepost in C: a circle, a beacon, some inputs, and the events. The output is the same on every
   machine. */
#include <fencepost.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program with the library's error message. */
static void check(fencepost_status status, const fencepost_error *error) {
  if (status == FENCEPOST_OK) return;
  fprintf(stderr, "%s: %s\n", fencepost_status_name(status), error->message);
  exit(1);
}

/* Prints the pending events. Each poll acknowledges the previous event. */
static void print_events(fencepost_monitor *monitor, int64_t start) {
  static const char *const states[] = {"unknown", "satisfied", "unsatisfied", "unmonitored"};
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_event event;
  uint32_t available = 0;
  for (;;) {
    check(fencepost_monitor_poll_event(monitor, &event, &available, &error), &error);
    if (!available) return;
    printf("%3d s: %s (tag %d) is %s\n", (int)((event.date_us - start) / 1000000), event.identifier, (int)event.tag,
           states[event.state]);
  }
}

int main(void) {
  const int64_t start = 1700000000000000; /* 2023-11-14T22:13:20Z; the library reads no clock */
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_monitor *monitor = NULL;
  check(fencepost_monitor_create("quickstart", NULL, &monitor, &error), &error);

  fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
  options.assuming = FENCEPOST_STATE_UNSATISFIED;
  options.tag = 7; /* your own number: every event returns it */
  check(fencepost_monitor_add_circular_condition(monitor, "office", 37.3349, -122.0090, 200, &options, &error), &error);

  fencepost_beacon_sighting desk = {{0}, 1, 7, -60};
  check(fencepost_uuid_parse("e2c56db5-dffb-48d2-b060-d0f5a71096e0", desk.uuid, &error), &error);
  check(fencepost_monitor_add_beacon_condition(monitor, "desk", desk.uuid, 1, -1, NULL, &error), &error);

  /* The device walks east towards the office, with one fix every ten seconds. */
  for (int step = 0; step < 40; step++) {
    int64_t now = start + step * INT64_C(10000000);
    fencepost_fix fix = {37.3349, -122.0140 + step * 0.00015, 8, now};
    check(fencepost_monitor_feed_fix(monitor, &fix, &error), &error);
    if (step >= 35) check(fencepost_monitor_feed_sightings(monitor, &desk, 1, now, &error), &error);
    print_events(monitor, start);
  }

  /* After a minute without any sighting, the beacon counts as absent. */
  check(fencepost_monitor_advance(monitor, start + INT64_C(450000000), &error), &error);
  print_events(monitor, start);

  fencepost_record record;
  char line[4096];
  check(fencepost_monitor_record(monitor, "office", &record, &error), &error);
  check(fencepost_event_json(&record.last_event, NULL, line, sizeof line, NULL, &error), &error);
  puts(line);

  /* Each error has a one-line message. */
  fencepost_fix nowhere = {91, 0, 5, start + INT64_C(500000000)};
  fencepost_status status = fencepost_monitor_feed_fix(monitor, &nowhere, &error);
  printf("%s: %s\n", fencepost_status_name(status), error.message);

  fencepost_monitor_destroy(monitor);
  return 0;
}
