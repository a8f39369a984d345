#include "check.h"

/* Returns an event without values, like the last event of a condition that has had no input. */
static fencepost_event empty_event(const char *identifier) {
  fencepost_event event;
  memset(&event, 0, sizeof event);
  event.date_us = event.evidence_date_us = FENCEPOST_TIME_UNSET;
  event.latitude = event.longitude = event.accuracy_m = event.boundary_distance_m = event.probability = NAN;
  event.vertical_distance_m = NAN;
  event.identifier_length = (uint32_t)strlen(identifier);
  memcpy(event.identifier, identifier, strlen(identifier));
  return event;
}

#define CHECK_JSON(event, expected)                                                    \
  do {                                                                                 \
    char text_[8192];                                                                  \
    size_t size_ = 0;                                                                  \
    CHECK_OK(fencepost_event_json(&(event), NULL, text_, sizeof text_, &size_, NULL)); \
    CHECK_TEXT(text_, expected);                                                       \
    CHECK_INT(size_, strlen(expected));                                                \
  } while (0)

static void unset(void) {
  fencepost_event event = empty_event("a");
  CHECK_JSON(event,
             "{\"sequence\":0,\"identifier\":\"a\",\"state\":\"unknown\",\"cause\":\"none\",\"date\":null,"
             "\"evidence_date\":null,\"refinement\":null,\"diagnostics\":[],\"generation\":0,\"latitude\":null,"
             "\"longitude\":null,\"accuracy\":null,\"boundary_distance\":null}");
}

/* Checks the text that follows a key in an event's JSON. */
static void part(const fencepost_event *event, const char *key, const char *expected) {
  char text[8192];
  CHECK_OK(fencepost_event_json(event, NULL, text, sizeof text, NULL, NULL));
  const char *found = strstr(text, key);
  CHECK(found != NULL);
  found += strlen(key);
  if (strncmp(found, expected, strlen(expected)) != 0) FAIL("after %s: %.60s, expected %s", key, found, expected);
}

static void full(void) {
  fencepost_event event = empty_event("office");
  event.sequence = UINT64_MAX;
  event.generation = 9007199254740993;
  event.tag = 5; /* the tag is not part of the text, because it belongs to the caller */
  event.date_us = T0 + 1;
  event.evidence_date_us = T0 - 20000000;
  event.latitude = 37.3349;
  event.longitude = -122.009;
  event.accuracy_m = 5;
  event.boundary_distance_m = -0.1;
  event.state = FENCEPOST_STATE_SATISFIED;
  event.cause = FENCEPOST_CAUSE_CROSSING;
  CHECK_JSON(event,
             "{\"sequence\":18446744073709551615,\"identifier\":\"office\",\"state\":\"satisfied\",\"cause\":"
             "\"crossing\",\"date\":\"2023-11-14T22:13:20.000001Z\",\"evidence_date\":\"2023-11-14T22:13:00.000000Z\","
             "\"refinement\":null,\"diagnostics\":[],\"generation\":9007199254740993,\"latitude\":37.3349,"
             "\"longitude\":-122.009,\"accuracy\":5,\"boundary_distance\":-0.1}");
  event.probability = 0; /* 0 is a probability; NaN means no probability */
  part(&event, "\"boundary_distance\":", "-0.1,\"probability\":0}");
  event.probability = 0.9921875;
  part(&event, "\"boundary_distance\":", "-0.1,\"probability\":0.9921875}");
  event.vertical_distance_m = 0; /* 0 is a distance */
  part(&event, "\"boundary_distance\":", "-0.1,\"probability\":0.9921875,\"vertical_distance\":0}");
  event.vertical_distance_m = -12.5;
  part(&event, "\"boundary_distance\":", "-0.1,\"probability\":0.9921875,\"vertical_distance\":-12.5}");
  event.latitude = NAN; /* without a position there is no probability */
  part(&event, "\"boundary_distance\":", "null}");
}

static void refinement(void) {
  fencepost_event event = empty_event("b");
  event.state = FENCEPOST_STATE_UNSATISFIED;
  event.cause = FENCEPOST_CAUSE_TIMEOUT;
  event.flags = FENCEPOST_EVENT_HAS_BEACON;
  memcpy(event.beacon_uuid, beacon_uuid, 16);
  event.beacon_major = 65535;
  CHECK_JSON(event,
             "{\"sequence\":0,\"identifier\":\"b\",\"state\":\"unsatisfied\",\"cause\":\"timeout\",\"date\":null,"
             "\"evidence_date\":null,\"refinement\":{\"uuid\":\"e2c56db5-dffb-48d2-b060-d0f5a71096e0\",\"major\":65535,"
             "\"minor\":0},\"diagnostics\":[],\"generation\":0,\"latitude\":null,\"longitude\":null,\"accuracy\":null,"
             "\"boundary_distance\":null}");
}

static void diagnostics(void) {
  static const char *const names[] = {"authorization_denied",
                                      "authorization_denied_globally",
                                      "authorization_restricted",
                                      "insufficiently_in_use",
                                      "accuracy_limited",
                                      "condition_unsupported",
                                      "condition_limit_exceeded",
                                      "persistence_unavailable",
                                      "service_session_required",
                                      "authorization_request_in_progress",
                                      "inactive",
                                      "schedule_ended",
                                      "exhausted"};
  fencepost_event event = empty_event("d");
  char all[512] = "[", one[64];
  event.state = FENCEPOST_STATE_UNMONITORED;
  event.cause = FENCEPOST_CAUSE_DIAGNOSTIC;
  part(&event, "\"state\":", "\"unmonitored\",\"cause\":\"diagnostic\"");
  for (int i = 0; i < 13; i++) {
    event.diagnostics = 1u << i;
    snprintf(one, sizeof one, "[\"%s\"],", names[i]);
    part(&event, "\"diagnostics\":", one);
    snprintf(all + strlen(all), sizeof all - strlen(all), "%s\"%s\"", i ? "," : "", names[i]);
  }
  event.diagnostics = 8191;
  strcat(all, "],");
  part(&event, "\"diagnostics\":", all);
}

static void escapes(void) {
  static const struct {
    const char *identifier, *json;
  } table[] = {{"\"\\/", "\"\\\"\\\\/\","},
               {"\n\r\t", "\"\\n\\r\\t\","},
               {"\x01\x08\x0c\x1f\x7f", "\"\\u0001\\u0008\\u000c\\u001f\\u007f\","},
               {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\","},
               {"e\xcc\x81", "\"e\xcc\x81\","},
               {"", "\"\","}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    fencepost_event event = empty_event(table[i].identifier);
    part(&event, "\"identifier\":", table[i].json);
  }
}

static void numbers(void) {
  static const struct {
    double value;
    const char *json;
  } table[] = {{0, "0,"},
               {-0.0, "-0,"},
               {1, "1,"},
               {0.1, "0.1,"},
               {1.0 / 3, "0.3333333333333333,"},
               {1e-7, "1e-07,"},
               {123456789.125, "123456789.125,"},
               {1e15, "1000000000000000,"},
               {5e-324, "5e-324,"},
               {DBL_MAX, "1.7976931348623157e+308,"},
               {(double)INFINITY, "null,"}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    fencepost_event event = empty_event("n");
    event.latitude = 0;
    event.longitude = 0;
    event.accuracy_m = table[i].value;
    event.boundary_distance_m = 1;
    part(&event, "\"accuracy\":", table[i].json);
    char text[4096];
    CHECK_OK(fencepost_event_json(&event, NULL, text, sizeof text, NULL, NULL));
    if (table[i].value <= DBL_MAX)
      CHECK(strtod(strstr(text, "\"accuracy\":") + strlen("\"accuracy\":"), NULL) == table[i].value);
  }
}

static void dates(void) {
  static const struct {
    int64_t time;
    const char *json;
  } table[] = {{0, "\"1970-01-01T00:00:00.000000Z\""},
               {-1, "\"1969-12-31T23:59:59.999999Z\""},
               {INT64_C(951782400000000), "\"2000-02-29T00:00:00.000000Z\""},
               {INT64_C(-2203977600000000), "\"1900-02-28T00:00:00.000000Z\""},
               {INT64_C(-2203891200000000), "\"1900-03-01T00:00:00.000000Z\""},
               {INT64_C(1709251199999999), "\"2024-02-29T23:59:59.999999Z\""},
               {FENCEPOST_TIME_MIN, "\"0001-01-01T00:00:00.000000Z\""},
               {FENCEPOST_TIME_MAX, "\"9999-12-31T23:59:59.999999Z\""}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    fencepost_event event = empty_event("t");
    event.date_us = table[i].time;
    part(&event, "\"date\":", table[i].json);
    event = empty_event("t");
    event.evidence_date_us = table[i].time;
    part(&event, "\"evidence_date\":", table[i].json);
  }
}

static void longest(void) {
  fencepost_event event = empty_event("");
  memset(event.identifier, 1, 256);
  event.identifier_length = 256;
  event.sequence = event.generation = UINT64_MAX;
  event.date_us = FENCEPOST_TIME_MIN;
  event.evidence_date_us = FENCEPOST_TIME_MAX;
  event.latitude = event.longitude = event.accuracy_m = event.boundary_distance_m = -1.2345678901234567e-300;
  event.state = FENCEPOST_STATE_UNSATISFIED;
  event.cause = FENCEPOST_CAUSE_DETERMINATION;
  event.diagnostics = 8191;
  event.flags =
      FENCEPOST_EVENT_HAS_BEACON | FENCEPOST_EVENT_ON_PATH | FENCEPOST_EVENT_AFTER_GAP | FENCEPOST_EVENT_LEFT_TO_RIGHT;
  event.beacon_major = event.beacon_minor = 65535;
  char text[4096], with_device[8192], device[257];
  CHECK_OK(fencepost_event_json(&event, NULL, text, sizeof text, NULL, NULL)); /* 4096 bytes suffice */
  memset(device, 1, 256);
  device[256] = 0;
  CHECK_OK(fencepost_event_json(&event, device, with_device, sizeof with_device, NULL, NULL)); /* 8192 bytes suffice */
}

/* The identifier of the device is the first key. */
static void of_device(void) {
  fencepost_event event = empty_event("a");
  char alone[1024], text[1024] = "untouched", expected[1100], too_long[258];
  size_t size = 99;
  CHECK_OK(fencepost_event_json(&event, NULL, alone, sizeof alone, NULL, NULL));
  memset(too_long, 'x', 257);
  too_long[257] = 0;
  const char *const wrong[] = {"", "\xff", too_long};
  for (int i = 0; i < 3; i++)
    CHECK_STATUS(fencepost_event_json(&event, wrong[i], text, sizeof text, &size, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_TEXT(text, "untouched");
  CHECK_INT(size, 99);
  event.position = 7, event.device = 5, event.row = 9; /* these are not part of the text */
  CHECK_OK(fencepost_event_json(&event, "truck \"7\"", text, sizeof text, &size, NULL));
  snprintf(expected, sizeof expected, "{\"device\":\"truck \\\"7\\\"\",%s", alone + 1);
  CHECK_TEXT(text, expected);
  CHECK_INT(size, strlen(expected));
}

static void buffers(void) {
  fencepost_event event = empty_event("a");
  char text[512];
  size_t size = 0, unused = 99;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  CHECK_OK(fencepost_event_json(&event, NULL, NULL, 0, &size, NULL));
  CHECK(size > 100 && size < sizeof text - 1);
  CHECK_OK(fencepost_event_json(&event, NULL, NULL, 0, NULL, NULL));
  memset(text, '#', sizeof text);
  CHECK_STATUS(fencepost_event_json(&event, NULL, text, size, &unused, &error), FENCEPOST_E_BUFFER_TOO_SMALL);
  CHECK_INT(unused, size);
  for (size_t i = 0; i < sizeof text; i++) CHECK(text[i] == '#');
  CHECK_OK(fencepost_event_json(&event, NULL, text, size + 1, NULL, NULL));
  CHECK_INT(strlen(text), size);
  CHECK(text[size + 1] == '#');
  unused = 99;
  CHECK_STATUS(fencepost_event_json(NULL, NULL, text, sizeof text, &unused, &error), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_CONTAINS(error.message, "event");
  CHECK_STATUS(fencepost_event_json(&event, NULL, NULL, sizeof text, &unused, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(fencepost_event_json(&event, NULL, text, SIZE_MAX, &unused, NULL), FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_INT(unused, 99);
}

static void impossible(void) {
#define BAD(member, value)                                                                                          \
  do {                                                                                                              \
    fencepost_event event = empty_event("a");                                                                       \
    char text[1024] = "untouched";                                                                                  \
    size_t size = 99;                                                                                               \
    event.member = (value);                                                                                         \
    CHECK_STATUS(fencepost_event_json(&event, NULL, text, sizeof text, &size, NULL), FENCEPOST_E_INVALID_ARGUMENT); \
    CHECK_TEXT(text, "untouched");                                                                                  \
    CHECK_INT(size, 99);                                                                                            \
  } while (0)
  BAD(state, -1);
  BAD(state, 4);
  BAD(state, 257);
  BAD(cause, -1);
  BAD(cause, 6);
  BAD(cause, INT32_MIN);
  BAD(diagnostics, 8192);
  BAD(diagnostics, UINT32_MAX);
  BAD(flags, 32);
  BAD(flags, UINT32_MAX);
  BAD(identifier_length, 257);
  BAD(identifier_length, UINT32_MAX);
  BAD(identifier[0], (char)0xff);
  BAD(probability, -0.001);
  BAD(probability, 1.001);
  BAD(probability, INFINITY);
  BAD(date_us, INT64_MAX);
  BAD(date_us, INT64_MIN + 1);
  BAD(date_us, FENCEPOST_TIME_MIN - 1);
  BAD(evidence_date_us, FENCEPOST_TIME_MAX + 1);
  BAD(evidence_date_us, INT64_MAX);
#undef BAD
  {
    fencepost_event event = empty_event("a");
    event.reserved[0] = 1;
    CHECK_STATUS(fencepost_event_json(&event, NULL, NULL, 0, NULL, NULL), FENCEPOST_E_UNSUPPORTED);
  }
}

static const ccase cases[] = {
    {"event_json: nothing set", unset},
    {"event_json: everything of a circle", full},
    {"event_json: refinement", refinement},
    {"event_json: device", of_device},
    {"event_json: every diagnostic flag, in order", diagnostics},
    {"event_json: escapes", escapes},
    {"event_json: numbers in shortest round-trip form", numbers},
    {"event_json: dates", dates},
    {"event_json: the longest fits 4096 bytes", longest},
    {"event_json: capacity 0, short, exact, NULL, too large", buffers},
    {"event_json: values that no event has are refused", impossible},
};
AREA(area_json);
