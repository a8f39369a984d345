/* Fuzzes every structure that has a struct_size: fills it with arbitrary bytes, in memory that is exactly as large as
   struct_size states. */
#include "fuzz.h"

/* Pointers in structures must be valid; all other members may have any value. */
static void set_pointer(uint8_t *bytes, size_t size, size_t offset, const void *pointer) {
  if (size >= offset + sizeof pointer) memcpy(bytes + offset, &pointer, sizeof pointer);
}

/* The intervals of all timings; a fuzzed count is reduced to their number. */
static const fencepost_interval intervals[] = {{0, 30000000}, {60000000, 90000000}, {INT64_MIN, INT64_MAX}};

/* Returns a structure with arbitrary bytes and an arbitrary size. Three quarters of the sizes are equal or close to the
   size that the library knows. */
static uint8_t *take_structure(reader *in, size_t known, size_t *out_size) {
  uint8_t choice = take8(in);
  size_t size = choice < 128 ? known : choice < 192 ? known + (size_t)(choice % 32) - 16 : (size_t)take16(in) % 4200;
  uint8_t *bytes = malloc(size < 4 ? 4 : size);
  REQUIRE(bytes != NULL);
  take_bytes(in, bytes, size < 4 ? 4 : size);
  uint32_t stated = (uint32_t)size;
  memcpy(bytes, &stated, 4);
  *out_size = size;
  return bytes;
}

/* Sets the pointers of a definition. Returns its timing, which may be arbitrary, and must outlive the definition.
   */
static uint8_t *take_timing_of(reader *in, uint8_t *definition, size_t size) {
  static const char *const parts[] = {"c", "p"};
  size_t timing_size;
  uint8_t choice = take8(in), *timing = take_structure(in, sizeof(fencepost_timing), &timing_size);
  size_t count = choice >> 2 & 3;
  set_pointer(timing, timing_size, offsetof(fencepost_timing, active), choice & 2 ? intervals : NULL);
  set_pointer(timing, timing_size, offsetof(fencepost_timing, active_count), (const void *)count);
  set_pointer(definition, size, offsetof(fencepost_condition_definition, timing), choice & 1 ? timing : NULL);
  set_pointer(definition, size, offsetof(fencepost_condition_definition, parts), parts);
  count = choice >> 4 & 1 ? 2 : 0;
  set_pointer(definition, size, offsetof(fencepost_condition_definition, part_count), (const void *)count);
  return timing;
}

static fencepost_monitor *try_monitor(reader *in) {
  size_t size;
  uint8_t *options = take_structure(in, sizeof(fencepost_options), &size);
  set_pointer(options, size, offsetof(fencepost_options, conditions), NULL);
  set_pointer(options, size, offsetof(fencepost_options, name), NULL);
  set_pointer(options, size, offsetof(fencepost_options, store_directory), NULL);
  fencepost_monitor *monitor = NULL;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = fencepost_monitor_create("m", (const fencepost_options *)(void *)options, &monitor, &error);
  require_detail(status, &error);
  REQUIRE((status == FENCEPOST_OK) == (monitor != NULL));
  fencepost_fleet *fleet = NULL; /* the same options for a fleet, which must work with all that it accepts */
  fencepost_error second = FENCEPOST_ERROR_INIT;
  status = fencepost_fleet_create((const fencepost_options *)(void *)options, &fleet, &second);
  require_detail(status, &second);
  REQUIRE((status == FENCEPOST_OK) == (fleet != NULL));
  if (fleet != NULL) {
    const char *name = "d";
    fencepost_device device;
    fencepost_fix fix = {0, 0, 5, 0};
    REQUIRE(fencepost_fleet_enter_devices(fleet, &name, 1, 1, &device, NULL) == FENCEPOST_OK);
    REQUIRE(fencepost_fleet_feed_fix(fleet, device, &fix, NULL) == FENCEPOST_OK);
  }
  fencepost_fleet_destroy(fleet);
  free(options);
  return monitor;
}

static void try_condition(reader *in, fencepost_monitor *monitor) {
  size_t size, policy_size;
  uint8_t *policy = take_structure(in, sizeof(fencepost_transition_policy), &policy_size);
  uint8_t *options = take_structure(in, sizeof(fencepost_condition_definition), &size);
  int with_policy = take8(in) & 1;
  uint8_t *timing = take_timing_of(in, options, size);
  set_pointer(options, size, offsetof(fencepost_condition_definition, policy), with_policy ? policy : NULL);
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = fencepost_monitor_add_circular_condition(
      monitor, "c", 0, 0, 100, (const fencepost_condition_definition *)(void *)options, &error);
  require_detail(status, &error);
  if (status == FENCEPOST_OK) {
    fencepost_transition_policy stored = FENCEPOST_TRANSITION_POLICY_STANDARD_INIT;
    const char *name = "c";
    const double zero = 0, radius = 100;
    fencepost_sync_result result;
    REQUIRE(ON_OWN(monitor, fencepost_conditions_describe, "c", NULL, &stored, NULL, NULL) == FENCEPOST_OK);
    REQUIRE(stored.struct_size == sizeof stored);
    if (stored.entry_probability > 0) REACH("a policy with probabilities");
    fencepost_shape shape = FENCEPOST_SHAPE_INIT;
    REQUIRE(ON_OWN(monitor, fencepost_conditions_describe, "c", NULL, NULL, &shape, NULL) == FENCEPOST_OK);
    if (shape.altitude_min_reference != 0 || shape.altitude_max_reference != 0) REACH("a band of altitudes");
    REQUIRE(ON_OWN(monitor, fencepost_conditions_put_circles, FENCEPOST_PUT_ENSURE,
                   (const fencepost_condition_definition *)(void *)options, &name, &zero, &zero, &radius, NULL, 1,
                   &result, NULL) == FENCEPOST_OK);
    REQUIRE(result.kept == 1);
  }
  free(options);
  free(policy);
  free(timing);
}

static void try_outputs(reader *in, fencepost_monitor *monitor) {
  size_t size;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  uint8_t *statistics = take_structure(in, sizeof(fencepost_statistics), &size);
  fencepost_status status = fencepost_monitor_statistics(monitor, (fencepost_statistics *)(void *)statistics, &error);
  require_detail(status, &error);
  free(statistics);
  fencepost_error second = FENCEPOST_ERROR_INIT;
  uint8_t *explanation = take_structure(in, sizeof(fencepost_explanation), &size);
  set_pointer(explanation, size, offsetof(fencepost_explanation, parts), NULL);
  set_pointer(explanation, size, offsetof(fencepost_explanation, parts_capacity), NULL);
  status = fencepost_monitor_explain(monitor, "c", (fencepost_explanation *)(void *)explanation, &second);
  require_detail(status, &second);
  free(explanation);
  uint8_t *detail = take_structure(in, sizeof(fencepost_error), &size);
  /* A structure is never smaller than in version 0.1, even if its stated size is smaller. */
  size_t real = size < sizeof(fencepost_error) ? sizeof(fencepost_error) : size;
  uint8_t *memory = malloc(real);
  REQUIRE(memory != NULL);
  memset(memory, 0x5a, real);
  memcpy(memory, detail, size < 4 ? 4 : size);
  fencepost_status failed = fencepost_monitor_advance(monitor, INT64_MAX, (fencepost_error *)(void *)memory);
  REQUIRE(failed == FENCEPOST_E_INVALID_ARGUMENT);
  REQUIRE(memcmp(memory, detail, 4) == 0 && memcmp(memory + 4, &failed, 4) == 0);
  for (size_t i = sizeof(fencepost_error); i < size; i++) REQUIRE(memory[i] == detail[i]);
  free(memory);
  free(detail);
}

/* Makes definitions whose elements have arbitrary sizes and contents, except invalid pointers. */
static void try_definitions(reader *in, fencepost_monitor *monitor) {
  size_t size, policy_size;
  uint8_t *first = take_structure(in, sizeof(fencepost_condition_definition), &size);
  uint8_t *policy = take_structure(in, sizeof(fencepost_transition_policy), &policy_size);
  uint8_t *timing = take_timing_of(in, first, size);
  size_t count = 1 + take8(in) % 3;
  if (size < 4) size = 4;
  uint8_t *array = malloc(count * size);
  REQUIRE(array != NULL);
  static const char *const names[] = {"p", "q", "r"};
  for (size_t i = 0; i < count; i++) {
    memcpy(array + i * size, first, size);
    set_pointer(array + i * size, size, offsetof(fencepost_condition_definition, identifier), names[i]);
    set_pointer(array + i * size, size, offsetof(fencepost_condition_definition, policy), i % 2 ? policy : NULL);
    set_pointer(array + i * size, size, offsetof(fencepost_condition_definition, geometry), NULL);
    set_pointer(array + i * size, size, offsetof(fencepost_condition_definition, wkb), NULL);
  }
  fencepost_sync_result result = {9, 9, 9, 9};
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = ON_OWN(monitor, fencepost_conditions_sync,
                                   (const fencepost_condition_definition *)(void *)array, count, &result, &error);
  require_detail(status, &error);
  size_t bytes, known;
  REQUIRE(ON_OWN(monitor, fencepost_conditions_identifiers, NULL, 0, &bytes, &known, NULL) == FENCEPOST_OK);
  if (status == FENCEPOST_OK) REQUIRE(known == count && result.added == count);
  else REQUIRE(result.added == 9 && error.position < count);
  free(array);
  free(policy);
  free(timing);
  free(first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  reader in = {data, size};
  fencepost_monitor *monitor = try_monitor(&in);
  if (monitor == NULL) REQUIRE(fencepost_monitor_create(NULL, NULL, &monitor, NULL) == FENCEPOST_OK);
  fencepost_fix fix = {0, 0, 5, 0};
  REQUIRE(fencepost_monitor_feed_fix(monitor, &fix, NULL) == FENCEPOST_OK);
  try_condition(&in, monitor);
  for (int i = 1; i < 6; i++) { /* the monitor must work with every policy that it accepts */
    fencepost_event event;
    uint32_t available;
    fix.longitude = i % 2 ? 0.01 : 0;
    fix.time_us = i * INT64_C(30000000);
    fencepost_status status = fencepost_monitor_feed_fix(monitor, &fix, NULL);
    REQUIRE(status == FENCEPOST_OK || status == FENCEPOST_E_QUEUE_FULL || status == FENCEPOST_E_AHEAD_OF_CLOCK);
    if (i % 2) REQUIRE(fencepost_monitor_poll_event(monitor, &event, &available, NULL) == FENCEPOST_OK);
  }
  try_outputs(&in, monitor);
  try_definitions(&in, monitor);
  fencepost_monitor_destroy(monitor);
  return 0;
}
