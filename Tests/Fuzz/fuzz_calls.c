/*
 * Turns bytes into a sequence of calls on a monitor, and checks the invariants after each call: see model.h. Sometimes
 * the monitor is replaced by its fork, or by a monitor restored from its snapshot.
 */
#include "model.h"

static double take_offset(reader *in) { /* most offsets are within 2 km of a place; some are extreme values */
  static const double special[] = {0, 90, -90, 180, -180, 179.9999, -179.9999, 91, NAN, INFINITY, 1e-300, 45};
  uint8_t choice = take8(in);
  if (choice >= 0xf0) return special[take8(in) % (sizeof special / sizeof *special)];
  return (double)(int8_t)choice * 2e-4;
}

static int64_t take_time(reader *in, const model *known) {
  static const int64_t steps[] = {0,
                                  1,
                                  999999,
                                  1000000,
                                  5000000,
                                  19999999,
                                  20000000,
                                  20000001,
                                  30000000,
                                  60000001,
                                  -1,
                                  -1000000,
                                  INT64_C(86400000000)};
  static const int64_t special[] = {INT64_MIN, INT64_MAX, FENCEPOST_TIME_MIN, FENCEPOST_TIME_MAX, 0};
  uint8_t choice = take8(in);
  int64_t clock = known->clock == FENCEPOST_TIME_UNSET ? INT64_C(1700000000000000) : known->clock;
  if (choice >= 0xfa) return special[take8(in) % 5];
  int64_t step = steps[choice % (sizeof steps / sizeof *steps)];
  return step > 0 && clock > FENCEPOST_TIME_MAX - step ? clock : clock + step;
}

static fencepost_fix take_fix(reader *in, const model *known) {
  static const double accuracies[] = {5, 0, 1, 30, 65, 150, 1000, -1, NAN, 1e300};
  fencepost_fix fix;
  fix.latitude = take_offset(in);
  fix.longitude = take_offset(in);
  fix.accuracy_m = accuracies[take8(in) % (sizeof accuracies / sizeof *accuracies)];
  fix.time_us = take_time(in, known);
  return fix;
}

static void add(reader *in, model *known) {
  static const double radii[] = {100, 1000, 10, 20, 400, 5e6, 2e7, 1e-9, 1e300, 0, -1, NAN};
  fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
  uint8_t shape = take8(in), where = take8(in), place = where & 7;
  fencepost_interval intervals[INTERVALS];
  fencepost_timing timing = FENCEPOST_TIMING_INIT;
  if (where & 0x80) {
    timing = take_timing(in, known->clock, intervals);
    options.timing = &timing;
  }
  if (where & 0x40) take_band(in, &options);
  fencepost_transition_policy policy = policy_at(shape);
  policy.notify = shape & 0x40 ? (uint32_t)take8(in) & 7 : FENCEPOST_NOTIFY_ALL;
  options.policy = &policy;
  options.assuming = take8(in) % 4;
  options.tag = shape;
  fencepost_status status;
  uint32_t changed = 1;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  if (shape & 0x80) {
    static const uint8_t uuids[2][16] = {{1}, {2}};
    int32_t major = (int32_t)(take8(in) % 4) - 1, minor = (int32_t)(take8(in) % 4) - 1;
    if (shape & 0x20)
      status = ON_OWN(known->monitor, ensure_one,
                      with(fencepost_beacon(names[place], uuids[shape & 1], major, minor), NULL, &options), &changed,
                      &error);
    else
      status = fencepost_monitor_add_beacon_condition(known->monitor, names[place], uuids[shape & 1], major, minor,
                                                      &options, &error);
  } else {
    double latitude = take_offset(in), longitude = take_offset(in);
    double radius = radii[take8(in) % (sizeof radii / sizeof *radii)];
    if (shape & 0x20)
      status =
          ON_OWN(known->monitor, ensure_one,
                 with(fencepost_circle(names[place], latitude, longitude, radius), NULL, &options), &changed, &error);
    else
      status = fencepost_monitor_add_circular_condition(known->monitor, names[place], latitude, longitude, radius,
                                                        &options, &error);
  }
  require_detail(status, &error);
  REQUIRE(status == FENCEPOST_OK || status == FENCEPOST_E_INVALID_ARGUMENT);
  if (status == FENCEPOST_OK && changed) model_added(known, names[place]);
  if (status == FENCEPOST_OK && where & 0x80) model_find(known, names[place])->is_timed = 1;
}

/* Adds a gate of up to six vertices. A monitor accepts gates only if it connects fixes by a path and delivers every
   event. */
static void add_gate(reader *in, model *known) {
  double latitudes[6], longitudes[6];
  uint8_t shape = take8(in), place = take8(in) & 7;
  fencepost_geometry geometry = FENCEPOST_GEOMETRY_INIT;
  geometry.latitudes = latitudes;
  geometry.longitudes = longitudes;
  geometry.vertex_count = shape % 7;
  for (size_t i = 0; i < geometry.vertex_count; i++) {
    latitudes[i] = take_offset(in);
    longitudes[i] = take_offset(in);
  }
  fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
  options.assuming = shape >= 0xf8 ? FENCEPOST_STATE_UNSATISFIED : FENCEPOST_STATE_UNKNOWN;
  options.tag = shape;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status;
  uint32_t changed = 1;
  if (shape & 0x20)
    status = ON_OWN(known->monitor, ensure_one, with(fencepost_line(names[place], &geometry), NULL, &options), &changed,
                    &error);
  else status = ON_OWN(known->monitor, add_one, with(fencepost_line(names[place], &geometry), NULL, &options), &error);
  require_detail(status, &error);
  REQUIRE(status == FENCEPOST_OK || status == FENCEPOST_E_INVALID_ARGUMENT);
  REQUIRE(status != FENCEPOST_OK || (known->has_gates && shape < 0xf8 && geometry.vertex_count > 1));
  if (model_is_part(known, place)) REQUIRE(status != FENCEPOST_OK); /* a gate cannot be a part */
  if (status == FENCEPOST_OK && changed) model_added(known, names[place]);
  if (status == FENCEPOST_OK) model_find(known, names[place])->is_gate = 1;
}

/* Adds a rule, whose parts are any of the names, or a name that no condition has. The model knows which rules are
   refused. */
static void add_rule(reader *in, model *known) {
  uint8_t shape = take8(in), where = take8(in), number = where & 7, assuming = take8(in);
  uint16_t chosen = take16(in);
  const char *parts[NAMES + 1];
  size_t count = 0;
  for (int i = 0; i < NAMES; i++)
    if (chosen >> i & 1) parts[count++] = names[i];
  int is_twice = chosen >> 15 && count > 0;
  if (is_twice) {
    parts[count] = parts[count / 2];
    count++;
  }
  fencepost_interval intervals[INTERVALS];
  fencepost_timing timing = FENCEPOST_TIMING_INIT;
  fencepost_transition_policy policy = policy_at(shape);
  fencepost_condition_definition rule = fencepost_rule(names[number], (where >> 3 & 7) % 5, parts, count);
  if (shape & 0x80) {
    timing = take_timing(in, known->clock, intervals);
    rule.timing = &timing;
  }
  policy.notify = shape & 0x40 ? (uint32_t)take8(in) & 7 : FENCEPOST_NOTIFY_ALL;
  rule.policy = &policy;
  rule.at_least = rule.rule_form == FENCEPOST_RULE_AT_LEAST ? assuming >> 4 : 0;
  rule.assuming = assuming % 4;
  rule.tag = shape;
  int is_counted = rule.rule_form <= FENCEPOST_RULE_NONE &&
                   (rule.rule_form != FENCEPOST_RULE_AT_LEAST || (rule.at_least >= 1 && rule.at_least <= count));
  int is_allowed = count > 0 && !is_twice && is_counted && policy.dwell_policy == FENCEPOST_DWELL_TIMER &&
                   !model_has_gate(known, chosen) && !model_leads_to(known, chosen, number);
  if (count > 0 && model_leads_to(known, chosen, number)) REACH("a cycle of rules");
  uint32_t changed = 1;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = shape & 0x20 ? ON_OWN(known->monitor, ensure_one, rule, &changed, &error)
                                         : ON_OWN(known->monitor, add_one, rule, &error);
  require_detail(status, &error);
  REQUIRE(status == FENCEPOST_OK || status == FENCEPOST_E_INVALID_ARGUMENT);
  if (!is_allowed) REQUIRE(status != FENCEPOST_OK);
  else if (rule.timing == NULL && rule.assuming != FENCEPOST_STATE_UNMONITORED) REQUIRE(status == FENCEPOST_OK);
  if (status != FENCEPOST_OK) return;
  if (changed) model_added(known, names[number]);
  place *here = model_find(known, names[number]);
  here->is_rule = 1, here->parts = chosen & ((1u << NAMES) - 1u);
  here->needed = rule.rule_form == FENCEPOST_RULE_AT_LEAST ? rule.at_least
                 : rule.rule_form == FENCEPOST_RULE_ALL    ? (uint32_t)count
                                                           : 1;
  here->is_none = rule.rule_form == FENCEPOST_RULE_NONE;
  if (rule.timing != NULL) here->is_timed = 1;
}

static void see(reader *in, model *known) {
  fencepost_beacon_sighting sightings[4];
  size_t count = take8(in) % 5;
  memset(sightings, 0, sizeof sightings);
  for (size_t i = 0; i < count; i++) {
    uint8_t beacon = take8(in);
    sightings[i].uuid[0] = 1 + (beacon & 1);
    sightings[i].major = beacon >> 1 & 3;
    sightings[i].minor = beacon >> 3 & 3;
    sightings[i].rssi_dbm = beacon & 0x80 ? INT32_MIN : -(beacon >> 4);
  }
  int64_t time = take_time(in, known);
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = fencepost_monitor_feed_sightings(known->monitor, sightings, count, time, &error);
  require_detail(status, &error);
  if (status == FENCEPOST_OK) known->sightings++;
  model_input(known, status, time, 1);
}

static void feed(reader *in, model *known, size_t count, int is_measured) {
  fencepost_fix fixes[6];
  measured more[6];
  for (size_t i = 0; i < count; i++) {
    fixes[i] = take_fix(in, known);
    if (is_measured) more[i] = take_measured(in);
  }
  fencepost_feed_result result = {0, 0, 0, 0};
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_fix_columns columns = columns_of(fixes, more);
  fencepost_status status = is_measured
                                ? fencepost_monitor_feed_columns(known->monitor, &columns, count, &result, &error)
                                : fencepost_monitor_feed_fixes(known->monitor, fixes, count, &result, &error);
  require_detail(status, &error);
  REQUIRE(status == FENCEPOST_OK || status == FENCEPOST_E_QUEUE_FULL);
  uint64_t rows = result.accepted + result.invalid + result.late + result.doubted;
  REQUIRE(known->can_doubt || result.doubted == 0);
  REQUIRE(rows == (status == FENCEPOST_OK ? count : error.position));
  known->accepted += result.accepted;
  if (result.accepted > 0) known->is_settled = 1;
  known->invalid += result.invalid;
  known->late += result.late;
  known->doubted += result.doubted;
  known->inputs += rows;
}

static void one_input(reader *in, model *known, int what) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  uint8_t value = take8(in);
  int64_t time = take_time(in, known);
  fencepost_status status;
  uint32_t flags = value & 1 ? 0 : 1u << (value >> 1 & 15), kinds = value >> 5 & 7;
  if (kinds == 7 && known->has_gates) kinds = 1u << FENCEPOST_CONDITION_LINE_GEOGRAPHIC;
  uint32_t known_kinds = 6u | 1u << FENCEPOST_CONDITION_LINE_GEOGRAPHIC;
  int is_told = what != 2 || ((flags & ~(uint32_t)0x31f) == 0 && (kinds & ~known_kinds) == 0);
  if (what == 3) {
    model_rewind(known, time);
    return;
  }
  if (what == 0) status = fencepost_monitor_advance(known->monitor, time, &error);
  else if (what == 1) status = fencepost_monitor_set_beacon_scanning(known->monitor, value & 1, time, &error);
  else status = fencepost_monitor_set_host_capabilities(known->monitor, flags, kinds, time, &error);
  require_detail(status, &error);
  if (!is_told) REQUIRE(status == FENCEPOST_E_INVALID_ARGUMENT);
  model_input(known, status, time, is_told);
}

static void replace(model *known, int by_fork) {
  fencepost_monitor *next = NULL;
  if (by_fork) {
    REQUIRE(fencepost_monitor_fork(known->monitor, &next, NULL) == FENCEPOST_OK);
  } else {
    size_t size = 0, again = 0;
    REQUIRE(fencepost_monitor_snapshot(known->monitor, NULL, 0, &size, NULL) == FENCEPOST_OK);
    uint8_t *bytes = malloc(2 * size);
    REQUIRE(bytes != NULL);
    REQUIRE(fencepost_monitor_snapshot(known->monitor, bytes, size, &again, NULL) == FENCEPOST_OK && again == size);
    REQUIRE(fencepost_monitor_restore(bytes, size, &next, NULL) == FENCEPOST_OK);
    REQUIRE(fencepost_monitor_snapshot(next, bytes + size, size, &again, NULL) == FENCEPOST_OK && again == size);
    REQUIRE(memcmp(bytes, bytes + size, size) == 0);
    free(bytes);
  }
  fencepost_monitor_destroy(known->monitor);
  model_restarted(known, next);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  reader in = {data, size};
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  uint8_t shape = take8(&in);
  options.delivery = shape % 3;
  options.order = shape & 0x04 ? FENCEPOST_ORDER_EXITS_FIRST : FENCEPOST_ORDER_ADD;
  options.condition_limit = shape & 0x10 ? 3 : 0;
  options.max_pending_events = shape & 0x20 ? 2 : 1000;
  options.beacon_exit_timeout_us = shape & 0x40 ? 1 : 30000000;
  options.initial_fix_max_age_us = shape & 0x80 ? 0 : 60000000;
  options.max_time_step_us = (shape & 0x1f) == 0x0e ? 30000000 : 0;
  if ((shape & 0x0f) == 0x0d) {
    options.path = FENCEPOST_PATH_GEODESIC;
    options.max_gap_us = shape & 0x80 ? 20000000 : INT64_C(3600000000);
    options.max_speed_mps = shape & 0x20 ? 300 : 0;
    if (!(shape & 0x40)) options.delivery = FENCEPOST_DELIVERY_EVERY;
  }
  if ((shape & 0x0f) == 0x0b || (shape & 0x1f) == 0x1d) {
    options.plausible_speed_mps = shape & 0x20 ? 1000 : 100;
    options.corroboration_count = shape & 0x40 ? 2 : 3;
    options.corroboration_time_us = shape & 0x80 ? 0 : 5000000;
  }
  model known;
  model_begin(&known, &options);
  known.can_doubt = options.plausible_speed_mps > 0;
  if ((shape & 0x1f) == 0x0f) model_add_crowd(&known);
  for (int step = 0; in.size > 0 && step < 300; step++) {
    uint8_t what = take8(&in);
    switch (what % 16) {
      case 0:
      case 1:
      case 2:
        if (what >> 4 >= 12) add_gate(&in, &known);
        else if (what >> 4 >= 10) add_rule(&in, &known);
        else add(&in, &known);
        break;
      case 3:
        if (what >> 4 == 15 && known.crowd == 0) model_sync(&known, names[take8(&in) & 7], take8(&in) % 5 * 100);
        else if (what >> 4 >= 13) model_remove_two(&known, names[take8(&in) & 7], names[take8(&in) & 7]);
        else model_remove(&known, names[take8(&in) & 7]);
        break;
      case 4:
      case 5:
      case 6: feed(&in, &known, 1, what >> 4 >= 10); break;
      case 7: feed(&in, &known, take8(&in) % 7, what >> 4 >= 10); break;
      case 8:
      case 9: see(&in, &known); break;
      case 10: one_input(&in, &known, what >> 4 >= 12 ? 3 : 0); break;
      case 11: one_input(&in, &known, 1 + (what >> 4 & 1)); break;
      case 12: model_poll(&known, 1); break;
      case 13: model_poll(&known, take8(&in) % 5); break;
      case 14:
        if (what >> 4 & 1) model_acknowledge(&known);
        else model_abandon(&known);
        break;
      default: replace(&known, what >> 4 & 1); break;
    }
    model_check(&known);
  }
  model_drain(&known);
  model_check(&known);
  fencepost_monitor_destroy(known.monitor);
  return 0;
}
