/* Fuzzes all functions that have text arguments (UUIDs, names of monitors, identifiers), and the function that writes
   events as JSON. */
#include "fuzz.h"

static void try_uuid(const char *text) {
  uint8_t uuid[16];
  memset(uuid, 0x5a, sizeof uuid);
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = fencepost_uuid_parse(text, uuid, &error);
  require_detail(status, &error);
  if (status == FENCEPOST_OK) {
    char again[37];
    snprintf(again, sizeof again, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", uuid[0],
             uuid[1], uuid[2], uuid[3], uuid[4], uuid[5], uuid[6], uuid[7], uuid[8], uuid[9], uuid[10], uuid[11],
             uuid[12], uuid[13], uuid[14], uuid[15]);
    REQUIRE(strlen(text) == 36);
    for (int i = 0; i < 36; i++)
      REQUIRE(again[i] == text[i] || (text[i] >= 'A' && text[i] <= 'F' && again[i] == text[i] + 32));
  } else {
    for (int i = 0; i < 16; i++) REQUIRE(uuid[i] == 0x5a);
  }
}

static fencepost_monitor *try_name(const char *text) {
  fencepost_monitor *monitor = NULL;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = fencepost_monitor_create(text, NULL, &monitor, &error);
  require_detail(status, &error);
  REQUIRE((status == FENCEPOST_OK) == (monitor != NULL));
  if (monitor != NULL) {
    fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
    REQUIRE(fencepost_monitor_statistics(monitor, &statistics, NULL) == FENCEPOST_OK);
    REQUIRE(strcmp(statistics.name, text) == 0);
    return monitor;
  }
  REQUIRE(fencepost_monitor_create(NULL, NULL, &monitor, NULL) == FENCEPOST_OK);
  return monitor;
}

static void try_identifier(fencepost_monitor *monitor, const char *text, int beacon) {
  static const uint8_t uuid[16] = {1};
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_condition condition;
  fencepost_record record;
  fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
  uint32_t changed = 9;
  fencepost_status status = beacon ? fencepost_monitor_add_beacon_condition(monitor, text, uuid, 1, -1, NULL, &error)
                                   : fencepost_monitor_add_circular_condition(monitor, text, 10, 20, 100, NULL, &error);
  require_detail(status, &error);
  fencepost_status expected = status == FENCEPOST_OK ? FENCEPOST_OK : FENCEPOST_E_INVALID_ARGUMENT;
  REQUIRE(status == expected);
  REQUIRE(ON_OWN(monitor, fencepost_conditions_describe, text, &condition, NULL, NULL, NULL) == expected);
  REQUIRE(fencepost_monitor_record(monitor, text, &record, NULL) == expected);
  REQUIRE(fencepost_monitor_explain(monitor, text, &explanation, NULL) == expected);
  if (status == FENCEPOST_OK) {
    REQUIRE(condition.identifier_length == strlen(text) && strcmp(condition.identifier, text) == 0);
    REQUIRE(strcmp(record.last_event.identifier, text) == 0);
    REQUIRE(strcmp(fencepost_reason_name(explanation.reason), "unknown_reason") != 0);
    REQUIRE(ON_OWN(monitor, ensure_one, fencepost_circle(text, 10, 20, 100), &changed, NULL) == 0);
    REQUIRE(changed == (beacon ? 1u : 0u));
    REQUIRE(ON_OWN(monitor, ensure_one, fencepost_beacon(text, uuid, 1, -1), &changed, NULL) == 0);
    REQUIRE(changed == 1);
    char json[4096];
    size_t size = 0;
    REQUIRE(fencepost_event_json(&record.last_event, NULL, json, sizeof json, &size, NULL) == FENCEPOST_OK);
    REQUIRE(size == strlen(json) && strchr(json, '\n') == NULL);
  }
}

/* The list of identifiers must match the table: the count is right, and each identifier in the list exists in the table
   and occurs only once. */
static void check_list(fencepost_monitor *monitor) {
  size_t size = 0, count = 0;
  REQUIRE(ON_OWN(monitor, fencepost_conditions_identifiers, NULL, 0, &size, &count, NULL) == FENCEPOST_OK);
  char *list = malloc(size + 1);
  REQUIRE(list != NULL);
  if (size > 0) {
    size_t needed = 0; /* an identifier and its terminating zero have at least two bytes */
    REQUIRE(ON_OWN(monitor, fencepost_conditions_identifiers, list, size - 1, &needed, NULL, NULL) ==
            FENCEPOST_E_BUFFER_TOO_SMALL);
    REQUIRE(needed == size);
    REQUIRE(ON_OWN(monitor, fencepost_conditions_identifiers, list, size, &needed, NULL, NULL) == FENCEPOST_OK);
  }
  fencepost_statistics statistics = FENCEPOST_STATISTICS_INIT;
  REQUIRE(fencepost_monitor_statistics(monitor, &statistics, NULL) == FENCEPOST_OK);
  REQUIRE(statistics.condition_count == count);
  size_t offset = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t removed = 0;
    REQUIRE(ON_OWN(monitor, remove_named, list + offset, &removed, NULL) == FENCEPOST_OK && removed == 1);
    offset += strlen(list + offset) + 1;
  }
  REQUIRE(offset == size);
  free(list);
}

static void try_event(reader *in) {
  fencepost_event event;
  take_bytes(in, &event, sizeof event);
  memset(event.reserved, 0, sizeof event.reserved);
  char json[4096];
  size_t size = 0;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = fencepost_event_json(&event, NULL, json, sizeof json, &size, &error);
  require_detail(status, &error);
  if (status != FENCEPOST_OK) return;
  REQUIRE(size == strlen(json) && size > 2 && json[0] == '{' && json[size - 1] == '}');
  for (size_t i = 0; i < size; i++) REQUIRE((unsigned char)json[i] >= 0x20);
  char *exact = malloc(size + 1);
  REQUIRE(exact != NULL);
  REQUIRE(fencepost_event_json(&event, NULL, exact, size + 1, NULL, NULL) == FENCEPOST_OK && strcmp(exact, json) == 0);
  REQUIRE(fencepost_event_json(&event, NULL, exact, size, NULL, NULL) == FENCEPOST_E_BUFFER_TOO_SMALL);
  free(exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  reader in = {data, size};
  uint8_t what = take8(&in);
  if (what & 1) {
    try_event(&in);
    return 0;
  }
  char *text = take_exact_text(&in, 80);
  try_uuid(text);
  fencepost_monitor *monitor = try_name(text);
  free(text);
  for (int i = 0; in.size > 0 && i < 20; i++) {
    text = take_exact_text(&in, 300);
    try_identifier(monitor, text, i % 2);
    free(text);
  }
  check_list(monitor);
  fencepost_monitor_destroy(monitor);
  return 0;
}
