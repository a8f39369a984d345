/* Tests the option `order`: its range, and the order of the events of one instant, of a monitor and of a fleet. */
#include "fleets.h"

/* A circle of 1000 m on the equator, with the exact policy. */
static void add_circle(fencepost_conditions *table, const char *identifier, double longitude) {
  fencepost_condition_definition circle = fencepost_circle(identifier, 0, longitude, 1000);
  fencepost_transition_policy exact = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
  circle.policy = &exact;
  circle.assuming = FENCEPOST_STATE_UNSATISFIED;
  CHECK_OK(fencepost_conditions_add(table, &circle, 1, NULL));
}

/* The device begins in the circle "left", and goes to the circle "entered" with one fix. */
static const char *const expected[2][3] = {
    [FENCEPOST_ORDER_ADD] = {"left", "entered", "left"},
    [FENCEPOST_ORDER_EXITS_FIRST] = {"left", "left", "entered"},
};

static void options_in_range(void) {
  static const fencepost_order refused[] = {-1, 2, INT32_MIN, INT32_MAX};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
    options.order = refused[i];
    create_refused(FENCEPOST_E_INVALID_ARGUMENT, NULL, &options, "exits_first");
    options = (fencepost_options)FENCEPOST_FLEET_OPTIONS_INIT;
    options.order = refused[i];
    fencepost_fleet *fleet = NULL;
    CHECK_STATUS(fencepost_fleet_create(&options, &fleet, NULL), FENCEPOST_E_INVALID_ARGUMENT);
    CHECK(fleet == NULL);
  }
}

static void monitors(void) {
  for (fencepost_order order = FENCEPOST_ORDER_ADD; order <= FENCEPOST_ORDER_EXITS_FIRST; order++) {
    fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
    options.order = order;
    fencepost_monitor *monitor = new_monitor(&options);
    fencepost_conditions *table;
    CHECK_OK(fencepost_monitor_conditions(monitor, &table, NULL));
    add_circle(table, "entered", 0.1);
    add_circle(table, "left", 0);
    CHECK_OK(feed(monitor, 0, SECONDS(0)));
    CHECK_OK(feed(monitor, 0.1, SECONDS(1)));
    for (int i = 0; i < 3; i++) CHECK_TEXT(next_event(monitor).identifier, expected[order][i]);
    expect_no_event(monitor);
    fencepost_conditions_destroy(table);
    fencepost_monitor_destroy(monitor);
  }
}

static void fleets(void) {
  for (fencepost_order order = FENCEPOST_ORDER_ADD; order <= FENCEPOST_ORDER_EXITS_FIRST; order++) {
    fencepost_conditions *table = new_table();
    add_circle(table, "entered", 0.1);
    add_circle(table, "left", 0);
    fencepost_options options = FENCEPOST_FLEET_OPTIONS_INIT;
    options.order = order;
    fencepost_fleet *fleet = NULL;
    CHECK_OK(create_fleet(table, &options, &fleet, NULL));
    fencepost_device device = device_of(fleet, "a");
    for (int i = 0; i < 2; i++) {
      fencepost_fix fix = {0, i * 0.1, 5, SECONDS(i)};
      CHECK_OK(fencepost_fleet_feed_fix(fleet, device, &fix, NULL));
    }
    for (int i = 0; i < 3; i++) CHECK_TEXT(next_fleet_event(fleet).identifier, expected[order][i]);
    expect_no_fleet_event(fleet);
    fencepost_fleet_destroy(fleet);
    fencepost_conditions_destroy(table);
  }
}

static const ccase cases[] = {
    {"order: range of the option", options_in_range},
    {"order: exits before entries in a monitor", monitors},
    {"order: exits before entries in a fleet", fleets},
};
AREA(area_order);
