#include <math.h>
#include <stdlib.h>
#include "value.h"

struct fp_fleet {
  fp_places *places; /* the identifiers of the conditions in the table */
  fencepost_conditions *table;
  fencepost_fleet *fleet;
  uint8_t *state;
  size_t state_capacity;
  fencepost_event *events;
  size_t event_capacity;
};

void fp_fleet_destroy(fp_fleet *fleet) {
  if (fleet == NULL) return;
  fencepost_fleet_destroy(fleet->fleet);
  fencepost_conditions_destroy(fleet->table);
  fp_places_release(fleet->places);
  free(fleet->state);
  free(fleet->events);
  free(fleet);
}

fp_fleet *fp_fleet_create(const void *bytes, size_t size, const fp_options *options, fp_message *message) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_options own = FENCEPOST_FLEET_OPTIONS_INIT;
  fp_options compiled = fp_compiling(options);
  size_t count = 0;
  const uint8_t **of_value = fp_parts(bytes, size, &count, message);
  fp_places *places = of_value == NULL ? NULL : fp_places_begin(count, &compiled, message);
  fp_fleet *fleet = places == NULL ? NULL : calloc(1, sizeof *fleet);
  fp_set_trust(options, &own);
  bool good = fleet != NULL;
  if (places != NULL && fleet == NULL) {
    fp_places_release(places);
    fp_no_memory(message);
  }
  if (good) fleet->places = places;
  if (good && fencepost_conditions_create(&fleet->table, &error) != FENCEPOST_OK)
    good = fp_fail(message, "%s", error.message);
  good = good && fp_places_compile(places, fleet->table, of_value, size, false, message);
  if (good) own.conditions = fleet->table;
  if (good && fencepost_fleet_create(&own, &fleet->fleet, &error) != FENCEPOST_OK)
    good = fp_fail(message, "%s", error.message);
  free(of_value);
  if (good) return fleet;
  fp_fleet_destroy(fleet);
  return NULL;
}

const fp_places *fp_fleet_places(const fp_fleet *fleet) { return fleet->places; }

/* Adds the device to the fleet, with its state if there is one. */
static fencepost_status enter(fp_fleet *fleet, const fp_input *input, fencepost_device *device,
                              fencepost_error *error) {
  if (input->state == NULL) return fencepost_fleet_enter_devices(fleet->fleet, &input->device, 1, 1, device, error);
  const uint64_t offsets[] = {0, input->state_size};
  return fencepost_fleet_import_devices(fleet->fleet, &input->device, input->state, offsets, 1, 1, device, error);
}

static bool take_events(fp_fleet *fleet, fp_outcome *out, fencepost_error *error, fp_message *message) {
  size_t waiting = 0;
  out->count = 0;
  if (fencepost_fleet_poll_events(fleet->fleet, NULL, 0, &waiting, error) != FENCEPOST_OK)
    return fp_fail(message, "%s", error->message);
  if (waiting > fleet->event_capacity) {
    fencepost_event *events = realloc(fleet->events, waiting * sizeof *events);
    if (events == NULL) return fp_no_memory(message);
    fleet->events = events;
    fleet->event_capacity = waiting;
  }
  if (waiting == 0) return true;
  if (fencepost_fleet_poll_events(fleet->fleet, fleet->events, waiting, &out->count, error) != FENCEPOST_OK ||
      fencepost_fleet_acknowledge(fleet->fleet, error) != FENCEPOST_OK)
    return fp_fail(message, "%s", error->message);
  out->events = fleet->events;
  return true;
}

static bool take_state(fp_fleet *fleet, fencepost_device device, fp_outcome *out, fencepost_error *error,
                       fp_message *message) {
  fencepost_status status = FENCEPOST_E_BUFFER_TOO_SMALL;
  while (true) {
    status = fencepost_fleet_export_devices(fleet->fleet, &device, 1, 1, fleet->state, fleet->state_capacity, NULL,
                                            &out->state_size, error);
    if (status == FENCEPOST_OK && out->state_size <= fleet->state_capacity) break;
    if (status != FENCEPOST_OK && status != FENCEPOST_E_BUFFER_TOO_SMALL) return fp_fail(message, "%s", error->message);
    uint8_t *state = realloc(fleet->state, out->state_size * 2);
    if (state == NULL) return fp_no_memory(message);
    fleet->state = state;
    fleet->state_capacity = out->state_size * 2;
  }
  out->state = fleet->state;
  return true;
}

static fencepost_status feed(fp_fleet *fleet, const fp_input *input, fencepost_device device, fencepost_error *error) {
  if (!input->is_fix) return fencepost_fleet_advance(fleet->fleet, device, input->fix.time_us, 0, error);
  bool has_ellipse = fp_is_ellipse(&input->beside.ellipse), has_altitude = !isnan(input->beside.height.altitude_m);
  if (!has_ellipse && !has_altitude) return fencepost_fleet_feed_fix(fleet->fleet, device, &input->fix, error);
  fencepost_fix_columns fix = fencepost_one_fix(&input->fix);
  fp_set_beside(&input->beside, &fix);
  fencepost_fleet_columns columns = FENCEPOST_FLEET_COLUMNS_INIT;
  columns.devices = &device;
  columns.fixes = &fix;
  return fencepost_fleet_feed_columns(fleet->fleet, &columns, 1, NULL, error);
}

bool fp_fleet_take(fp_fleet *fleet, const fp_input *input, fp_outcome *out, fp_message *message) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_device device = 0;
  fp_message why;
  *out = (fp_outcome){.state = input->state, .state_size = input->state_size};
  if (input->is_fix && !fp_ellipse_check(&input->beside.ellipse, &why))
    return fp_fail(message, "device \"%.60s\": %.400s", input->device, why.text);
  if (enter(fleet, input, &device, &error) != FENCEPOST_OK)
    return fp_fail(message, "device \"%.60s\": %.400s", input->device, error.message);
  out->status = feed(fleet, input, device, &error);
  bool good = true;
  if (out->status == FENCEPOST_OK)
    good = take_events(fleet, out, &error, message) && take_state(fleet, device, out, &error, message);
  else
    good = fp_fail(message, "device \"%.60s\": %.400s", input->device, error.message) ||
           out->status == FENCEPOST_E_LATE_INPUT || out->status == FENCEPOST_E_AHEAD_OF_CLOCK;
  fencepost_error ignored = FENCEPOST_ERROR_INIT;
  fencepost_fleet_remove_devices(fleet->fleet, &device, 1, 1, &ignored);
  return good;
}

bool fp_doubted_fixes(const void *state, size_t size, uint64_t *out, fp_message *message) {
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_options options = FENCEPOST_FLEET_OPTIONS_INIT;
  fencepost_device_statistics statistics = FENCEPOST_DEVICE_STATISTICS_INIT;
  fencepost_fleet *fleet = NULL;
  fencepost_device device = 0;
  const char *name = "device";
  const uint64_t offsets[] = {0, size};
  bool good = fencepost_fleet_create(&options, &fleet, &error) == FENCEPOST_OK &&
              fencepost_fleet_import_devices(fleet, &name, state, offsets, 1, 1, &device, &error) == FENCEPOST_OK &&
              fencepost_fleet_device_statistics(fleet, device, &statistics, &error) == FENCEPOST_OK;
  fencepost_fleet_destroy(fleet);
  *out = statistics.doubted_fixes;
  return good || fp_fail(message, "%s", error.message);
}
