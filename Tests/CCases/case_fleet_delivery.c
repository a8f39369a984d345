/* Tests the delivery of a fleet's events: a full queue, polling and abandoning events, and the wake-up. */
#include "fleets.h"

/* A full queue stops a batch at a row; the remaining rows are fed after polling. */
static void full_queue(void) {
  fencepost_conditions *table = new_table();
  add_exact(table, "zone", 0, 3);
  fencepost_options options = FENCEPOST_FLEET_OPTIONS_INIT;
  options.max_pending_events = 2;
  fencepost_fleet *fleet = NULL;
  CHECK_OK(create_fleet(table, &options, &fleet, NULL));
  fencepost_device device = device_of(fleet, "a");
  double lat[6] = {0}, lon[6] = {0, 0.1, 0, 0.1, 0, 0.1};
  int64_t times[6];
  for (int i = 0; i < 6; i++) times[i] = SECONDS(i);
  fencepost_fix_columns fixes = FENCEPOST_FIX_COLUMNS_INIT;
  fencepost_fleet_columns columns = FENCEPOST_FLEET_COLUMNS_INIT;
  columns.fixes = &fixes, columns.devices = &device, columns.device_stride = 0;
  fencepost_event events[8];
  size_t count, done = 0, all = 0;
  while (done < 6) {
    fixes.latitudes = lat + done, fixes.longitudes = lon + done, fixes.times_us = times + done;
    fencepost_feed_result result;
    fencepost_error error = FENCEPOST_ERROR_INIT;
    fencepost_status status = fencepost_fleet_feed_columns(fleet, &columns, 6 - done, &result, &error);
    CHECK_STATUS(status, done + 2 < 6 ? FENCEPOST_E_QUEUE_FULL : FENCEPOST_OK);
    CHECK_INT(result.accepted, 2);
    if (status) CHECK_INT(error.position, 2);
    done += result.accepted;
    CHECK_OK(fencepost_fleet_poll_events(fleet, events, 8, &count, NULL));
    CHECK_INT(count, 2);
    all += count;
    CHECK_INT(events[1].position, all);
    CHECK_INT(events[1].sequence, all);
  }
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
}

/* Polling and acknowledging commit events; abandoned events are redelivered with the same sequence and position. */
static void delivery(void) {
  fencepost_conditions *table;
  fencepost_fleet *fleet = busy_fleet(&table);
  size_t count = 9;
  CHECK_OK(fencepost_fleet_poll_events(fleet, NULL, 0, &count, NULL));
  CHECK_INT(count, 3);
  fencepost_event first = next_fleet_event(fleet), again;
  CHECK_INT(first.position, 1);
  for (size_t i = 0; i < sizeof first.reserved / sizeof *first.reserved; i++) CHECK_INT(first.reserved[i], 0);
  CHECK(isnan(first.probability));
  /* With capacity 0, a poll only counts the events: it does not commit the event in flight. */
  CHECK_OK(fencepost_fleet_poll_events(fleet, &again, 0, &count, NULL));
  CHECK_INT(count, 2);
  CHECK_OK(fencepost_fleet_abandon(fleet, NULL));
  CHECK_OK(fencepost_fleet_poll_events(fleet, NULL, 0, &count, NULL));
  CHECK_INT(count, 3);
  again = next_fleet_event(fleet);
  CHECK(memcmp(&first, &again, sizeof first) == 0);
  CHECK_OK(fencepost_fleet_acknowledge(fleet, NULL));
  CHECK_OK(fencepost_fleet_abandon(fleet, NULL));
  again = next_fleet_event(fleet);
  CHECK_INT(again.position, 2);
  CHECK_INT(again.sequence, 1); /* an event of the second device */
  /* When a condition is removed, its events become void. */
  CHECK_OK(remove_named(table, "exact", NULL, NULL));
  CHECK_INT(fleet_statistics(fleet).pending_events, 0);
  expect_no_fleet_event(fleet);
  CHECK_OK(fencepost_fleet_poll_events(fleet, NULL, 0, &count, NULL));
  CHECK_INT(count, 0);
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
}

typedef struct woken {
  fencepost_fleet *fleet;
  int calls, events;
} woken;

static void wake(void *context) {
  woken *me = context;
  fencepost_event events[4];
  size_t count;
  me->calls++;
  CHECK_OK(fencepost_fleet_poll_events(me->fleet, events, 4, &count, NULL)); /* the callback may call the fleet */
  me->events += (int)count;
}

static void wakeup(void) {
  fencepost_conditions *table;
  fencepost_fleet *fleet = busy_fleet(&table);
  woken me = {fleet, 0, 0};
  CHECK_OK(fencepost_fleet_set_wakeup(fleet, wake, &me, NULL)); /* events are waiting already */
  CHECK_INT(me.calls, 1);
  CHECK_INT(me.events, 3);
  /* The dwell time of the condition "standard" ends. */
  CHECK_OK(fencepost_fleet_advance(fleet, 1, SECONDS(30), 0, NULL));
  CHECK_INT(me.events, 4);
  CHECK_OK(fencepost_fleet_advance(fleet, FENCEPOST_ALL_DEVICES, SECONDS(30), 0, NULL));
  CHECK_INT(me.calls, 2);
  CHECK_OK(fencepost_fleet_set_wakeup(fleet, NULL, NULL, NULL));
  CHECK_OK(feed_device(fleet, 2, 0.1, SECONDS(60)));
  CHECK_INT(me.calls, 2);
  /* A call may drop void events and so make room in the queue; a new event of the same call must still wake the
     consumer. */
  fencepost_options options = FENCEPOST_FLEET_OPTIONS_INIT;
  options.max_pending_events = 2;
  fencepost_fleet *small = NULL;
  CHECK_OK(create_fleet(table, &options, &small, NULL));
  fencepost_device d[] = {device_of(small, "x"), device_of(small, "y"), device_of(small, "z")};
  CHECK_OK(feed_device(small, d[0], 0, SECONDS(60)));
  CHECK_OK(feed_device(small, d[1], 0, SECONDS(60)));
  add_exact(table, "exact", 0, 9);
  me.fleet = small, me.calls = me.events = 0;
  CHECK_OK(fencepost_fleet_set_wakeup(small, wake, &me, NULL));
  CHECK_INT(me.calls, 0);
  CHECK_OK(feed_device(small, d[2], 0, SECONDS(60)));
  CHECK_INT(me.calls, 1);
  CHECK_INT(me.events, 1);
  fencepost_fleet_destroy(small);
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
}

/* The deliveries FIRST and LATEST. */
static void turns(void) {
  static const struct {
    fencepost_delivery delivery;
    int64_t seconds[4];
    size_t pending;
  } expected[] = {
      {FENCEPOST_DELIVERY_EVERY, {1, 2, 3}, 3},
      {FENCEPOST_DELIVERY_FIRST, {1}, 1},
      {FENCEPOST_DELIVERY_LATEST, {3}, 1},
  };
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    fencepost_conditions *table = new_table();
    add_exact(table, "zone", 0, 3);
    fencepost_options options = FENCEPOST_FLEET_OPTIONS_INIT;
    options.delivery = expected[i].delivery;
    fencepost_fleet *fleet = NULL;
    CHECK_OK(create_fleet(table, &options, &fleet, NULL));
    fencepost_device device = device_of(fleet, "a");
    for (int n = 0; n < 4; n++) CHECK_OK(feed_device(fleet, device, n % 2 ? 0 : 0.1, SECONDS(n)));
    CHECK_INT(fleet_statistics(fleet).pending_events, expected[i].pending);
    for (size_t n = 0; n < expected[i].pending; n++) {
      fencepost_event event = next_fleet_event(fleet);
      CHECK_INT(event.date_us, SECONDS(expected[i].seconds[n]));
      CHECK_INT(event.sequence, n + 1);
    }
    expect_no_fleet_event(fleet);
    /* The event waits that the commit of the first one makes due. */
    CHECK_OK(feed_device(fleet, device, 0.1, SECONDS(4)));
    next_fleet_event(fleet);
    CHECK_OK(feed_device(fleet, device, 0, SECONDS(5)));
    woken me = {fleet, 0, 0};
    CHECK_OK(fencepost_fleet_set_wakeup(fleet, wake, &me, NULL));
    int calls = me.calls;
    CHECK_INT(calls, expected[i].delivery == FENCEPOST_DELIVERY_EVERY);
    CHECK_OK(fencepost_fleet_acknowledge(fleet, NULL));
    CHECK_INT(me.calls, 1);
    CHECK_INT(me.events, 1);
    fencepost_fleet_destroy(fleet);
    fencepost_conditions_destroy(table);
  }
  fencepost_options options = FENCEPOST_FLEET_OPTIONS_INIT;
  options.delivery = 3;
  fencepost_conditions *table = new_table();
  fencepost_fleet *fleet = NULL;
  CHECK_STATUS(create_fleet(table, &options, &fleet, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  fencepost_conditions_destroy(table);
}

static const ccase cases[] = {
    {"fleet: a full queue", full_queue},
    {"fleet: delivery", delivery},
    {"fleet: wake-up", wakeup},
    {"fleet: deliveries first and latest", turns},
};
AREA(area_fleet_delivery);
