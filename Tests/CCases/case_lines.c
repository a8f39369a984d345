/* Tests line conditions through the C interface. */
#include "check.h"

static fencepost_options geodesic(void) {
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.path = FENCEPOST_PATH_GEODESIC;
  options.max_gap_us = INT64_C(600000000);
  return options;
}

/* Creates a line from south to north across the equator, and another line east of it. */
static double latitudes[] = {-0.01, 0.01, -0.01, 0.01};
static double longitudes[] = {0, 0, 0.02, 0.02};
static const int32_t two_lines[] = {0, 2, 4};

static fencepost_geometry geometry_of(size_t lines) {
  fencepost_geometry geometry = FENCEPOST_GEOMETRY_INIT;
  geometry.latitudes = latitudes;
  geometry.longitudes = longitudes;
  geometry.vertex_count = 2 * lines;
  geometry.ring_offsets = two_lines;
  geometry.ring_count = lines;
  return geometry;
}

static void crossings(void) {
  fencepost_options options = geodesic();
  fencepost_monitor *monitor = new_monitor(&options);
  fencepost_geometry line = geometry_of(1);
  fencepost_condition_definition tagged = FENCEPOST_CONDITION_DEFINITION_INIT;
  tagged.tag = 9;
  CHECK_OK(ON_OWN(monitor, add_one, with(fencepost_line("g", &line), NULL, &tagged), NULL));
  CHECK_OK(feed(monitor, -0.01, SECONDS(0)));
  CHECK_OK(feed(monitor, 0.01, SECONDS(10)));
  CHECK_OK(feed(monitor, -0.01, SECONDS(20)));
  fencepost_event event = next_event(monitor);
  CHECK_INT(event.cause, FENCEPOST_CAUSE_CROSSING);
  CHECK_INT(event.state, FENCEPOST_STATE_UNKNOWN);
  CHECK_INT(event.tag, 9);
  CHECK_NEAR((double)(event.date_us - SECONDS(5)), 0, 1.5);
  CHECK_INT(event.flags, FENCEPOST_EVENT_ON_PATH | FENCEPOST_EVENT_LEFT_TO_RIGHT);
  char json[4096];
  CHECK_OK(fencepost_event_json(&event, NULL, json, sizeof json, NULL, NULL));
  CHECK_CONTAINS(json, ",\"evidence\":\"path\",\"direction\":\"left_to_right\"}");
  event = next_event(monitor);
  CHECK_INT(event.flags, FENCEPOST_EVENT_ON_PATH | FENCEPOST_EVENT_RIGHT_TO_LEFT);
  fencepost_state state = 99;
  CHECK_OK(fencepost_monitor_state(monitor, "g", &state, NULL));
  CHECK_INT(state, FENCEPOST_STATE_UNKNOWN);
  fencepost_condition condition;
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_describe, "g", &condition, NULL, NULL, NULL));
  CHECK_INT(condition.kind, FENCEPOST_CONDITION_LINE_GEOGRAPHIC);
  CHECK_INT(condition.radius_m != condition.radius_m, 1);
  fencepost_shape shape = FENCEPOST_SHAPE_INIT;
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_describe, "g", NULL, NULL, &shape, NULL));
  CHECK_INT(shape.kind, FENCEPOST_CONDITION_LINE_GEOGRAPHIC);
  CHECK_INT(shape.vertex_count, 2);
  CHECK_NEAR(shape.depth_m, 0, 0);
  fencepost_monitor_destroy(monitor);
}

/* Tests each function that adds a line, and that a line keeps its state if an equal line is added. */
static void ways_to_add(void) {
  fencepost_options options = geodesic();
  fencepost_monitor *monitor = new_monitor(&options);
  fencepost_geometry both = geometry_of(2);
  const char *names[] = {"a", "b"};
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_put_geometries, FENCEPOST_PUT_ADD,
                  COMMON(FENCEPOST_CONDITION_LINE_GEOGRAPHIC, NULL, NULL), names, &both, NULL, NULL, NULL, 2, NULL,
                  NULL));
  fencepost_sync_result result;
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_put_geometries, FENCEPOST_PUT_ENSURE,
                  COMMON(FENCEPOST_CONDITION_LINE_GEOGRAPHIC, NULL, NULL), names, &both, NULL, NULL, NULL, 2, &result,
                  NULL));
  CHECK_INT(result.kept, 2);
  fencepost_geometry one = geometry_of(1);
  uint32_t changed = 99;
  CHECK_OK(ON_OWN(monitor, ensure_one, fencepost_line("a", &one), &changed, NULL));
  CHECK_INT(changed, 0);
  CHECK_OK(ON_OWN(monitor, ensure_one, fencepost_line("b", &one), &changed, NULL));
  CHECK_INT(changed, 1);
  unsigned char wkb[256];
  size_t size = 0;
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_geometry, "a", wkb, sizeof wkb, &size, NULL));
  CHECK_INT(wkb[1], 2);
  fencepost_condition_definition definitions[2] = {FENCEPOST_CONDITION_DEFINITION_INIT,
                                                   FENCEPOST_CONDITION_DEFINITION_INIT};
  for (int i = 0; i < 2; i++) {
    definitions[i].kind = FENCEPOST_CONDITION_LINE_GEOGRAPHIC;
    definitions[i].identifier = names[i];
  }
  definitions[0].wkb = wkb;
  definitions[0].wkb_size = size;
  definitions[1].geometry = &both;
  CHECK_OK(ON_OWN(monitor, fencepost_conditions_sync, definitions, 2, &result, NULL));
  CHECK_INT(result.kept, 1);
  CHECK_INT(result.replaced, 1);
  /* One leg crosses line "b" twice. */
  CHECK_OK(feed(monitor, -0.01, SECONDS(0)));
  CHECK_OK(feed(monitor, 0.03, SECONDS(100)));
  const char *expected[] = {"a", "b", "b"};
  for (int i = 0; i < 3; i++) CHECK_TEXT(next_event(monitor).identifier, expected[i]);
  fencepost_monitor_destroy(monitor);
}

static void refusals(void) {
  fencepost_options all[3] = {FENCEPOST_MONITOR_OPTIONS_INIT, geodesic(), geodesic()};
  const char *words[] = {"path", "delivery", "delivery"};
  all[1].delivery = FENCEPOST_DELIVERY_FIRST;
  all[2].delivery = FENCEPOST_DELIVERY_LATEST;
  fencepost_geometry line = geometry_of(1);
  fencepost_error error = FENCEPOST_ERROR_INIT;
  const char *names[] = {"g"};
  for (int i = 0; i < 3; i++) {
    fencepost_monitor *monitor = new_monitor(&all[i]);
    CHECK_INT(ON_OWN(monitor, add_one, fencepost_line("g", &line), &error), FENCEPOST_E_INVALID_ARGUMENT);
    CHECK_CONTAINS(error.message, words[i]);
    CHECK_INT(ON_OWN(monitor, fencepost_conditions_put_geometries, FENCEPOST_PUT_ADD,
                     COMMON(FENCEPOST_CONDITION_LINE_GEOGRAPHIC, NULL, NULL), names, &line, NULL, NULL, NULL, 1, NULL,
                     &error),
              FENCEPOST_E_INVALID_ARGUMENT);
    CHECK_CONTAINS(error.message, words[i]);
    fencepost_monitor_destroy(monitor);
  }
  fencepost_options options = geodesic();
  fencepost_monitor *monitor = new_monitor(&options);
  fencepost_transition_policy exact = FENCEPOST_TRANSITION_POLICY_EXACT_INIT;
  fencepost_condition_definition given = FENCEPOST_CONDITION_DEFINITION_INIT;
  given.policy = &exact;
  CHECK_INT(ON_OWN(monitor, add_one, with(fencepost_line("g", &line), NULL, &given), &error),
            FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "policy");
  given = (fencepost_condition_definition)FENCEPOST_CONDITION_DEFINITION_INIT;
  given.assuming = FENCEPOST_STATE_UNSATISFIED;
  CHECK_INT(ON_OWN(monitor, add_one, with(fencepost_line("g", &line), NULL, &given), &error),
            FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "assumed");
  line.vertex_count = 1;
  line.ring_offsets = NULL;
  line.ring_count = 0;
  CHECK_INT(ON_OWN(monitor, add_one, fencepost_line("g", &line), &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "too_few_vertices");
  fencepost_conditions *table = NULL;
  CHECK_OK(fencepost_conditions_create(&table, NULL));
  fencepost_geometry whole = geometry_of(1);
  fencepost_condition_definition definition = FENCEPOST_CONDITION_DEFINITION_INIT;
  definition.kind = FENCEPOST_CONDITION_LINE_GEOGRAPHIC;
  definition.identifier = "g";
  definition.geometry = &whole;
  definition.assuming = FENCEPOST_STATE_UNSATISFIED; /* any assumed state except satisfied is allowed */
  CHECK_OK(fencepost_conditions_sync(table, &definition, 1, NULL, &error));
  definition.assuming = FENCEPOST_STATE_SATISFIED;
  definition.identifier = "h";
  CHECK_INT(fencepost_conditions_sync(table, &definition, 1, NULL, &error), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, "assumed");
  fencepost_conditions_destroy(table);
  fencepost_monitor_destroy(monitor);
}

static const ccase cases[] = {
    {"lines: crossings", crossings},
    {"lines: ways to add them", ways_to_add},
    {"lines: refusals", refusals},
};
AREA(area_lines);
