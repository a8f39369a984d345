/* The inputs of a fleet: places, options and fixes. */
#include <string.h>
#include "fleet.h"

/* Reports a message from the core with the SQLite error code that matches it. */
static int refuse(fp_fleet_table *own, const fp_message *message) {
  fp_fleet_fail(own, "%s: %s", own->name, message->text);
  return fp_code(message);
}

/* Compiles the fleet from the setup row. */
static int compile(fp_fleet_table *own) {
  sqlite3_stmt *query = NULL;
  fp_message message = {FP_NO_MEMORY, "out of memory"};
  int code = fp_fleet_prepare(own, &query, "SELECT version, options, places FROM \"%w\".\"%w_setup\" WHERE id = 1");
  if (code == SQLITE_OK) code = sqlite3_step(query);
  if (code != SQLITE_ROW) {
    sqlite3_finalize(query);
    return code;
  }
  own->version = sqlite3_column_int64(query, 0);
  const char *text = (const char *)sqlite3_column_text(query, 1);
  const void *places = sqlite3_column_blob(query, 2);
  code = SQLITE_OK;
  if (sqlite3_column_type(query, 2) != SQLITE_BLOB) {
    code = fp_fleet_fail(own, "%s has no places yet: INSERT INTO %s(places) SELECT fp_places(...) ...", own->name,
                         own->name);
  } else {
    if ((text != NULL || sqlite3_column_type(query, 1) == SQLITE_NULL) &&
        fp_options_read(text, text == NULL ? 0 : strlen(text), FP_OPTIONS_OF_REPLAYS & ~(uint32_t)FP_OPTION_PATH,
                        &own->options, &message))
      own->fleet = fp_fleet_create(places, (size_t)sqlite3_column_bytes(query, 2), &own->options, &message);
    if (own->fleet == NULL) code = refuse(own, &message);
  }
  sqlite3_finalize(query);
  return code;
}

/*
 * Recompiles the fleet if the setup has another version, because another connection may have changed it. A version is a
 * random number: a counter would repeat a value after a transaction that changed the setup was rolled back.
 */
static int setup(fp_fleet_table *own) {
  int code = fp_fleet_prepare(own, &own->read_version, "SELECT version FROM \"%w\".\"%w_setup\" WHERE id = 1");
  if (code != SQLITE_OK) return code;
  code = sqlite3_step(own->read_version);
  sqlite3_int64 version = code == SQLITE_ROW ? sqlite3_column_int64(own->read_version, 0) : 0;
  sqlite3_reset(own->read_version);
  if (code == SQLITE_DONE) return fp_fleet_fail(own, "%s: the table %s_setup is empty", own->name, own->name);
  if (code != SQLITE_ROW) return code;
  if (own->fleet != NULL && version == own->version) return SQLITE_OK;
  fp_fleet_reset(own);
  return compile(own);
}

int fp_fleet_change(fp_fleet_table *own, sqlite3_value **values) {
  fp_message message;
  fp_options options;
  sqlite3_value *places = values[FP_PLACES], *text = values[FP_OPTIONS];
  if (sqlite3_value_type(places) != SQLITE_NULL && sqlite3_value_type(places) != SQLITE_BLOB)
    return fp_fleet_fail(own, "%s: places are a BLOB of fp_places()", own->name);
  if (!fp_value_options(text, FP_OPTIONS_OF_REPLAYS & ~(uint32_t)FP_OPTION_PATH, &options, &message))
    return refuse(own, &message);
  if (sqlite3_value_type(places) == SQLITE_BLOB) {
    size_t size;
    const void *bytes = fp_value_bytes(places, &size);
    fp_fleet *fleet = fp_fleet_create(bytes, size, &options, &message);
    if (fleet == NULL) return refuse(own, &message);
    fp_fleet_destroy(fleet);
  }
  sqlite3_stmt *change = NULL;
  int code = fp_fleet_prepare(own, &change,
                              "UPDATE \"%w\".\"%w_setup\" SET places = coalesce(?1, "
                              "places), options = coalesce(?2, options), "
                              "version = random() WHERE id = 1");
  if (code == SQLITE_OK) code = sqlite3_bind_value(change, 1, places);
  if (code == SQLITE_OK) code = sqlite3_bind_value(change, 2, text);
  if (code == SQLITE_OK && (code = sqlite3_step(change)) == SQLITE_DONE) code = SQLITE_OK;
  sqlite3_finalize(change);
  fp_fleet_reset(own);
  return code;
}

/* Runs a statement after its values were bound; `bound` is SQLITE_OK, or the error from binding. */
int fp_fleet_done(sqlite3_stmt *statement, int bound) {
  int code = bound == SQLITE_OK ? sqlite3_step(statement) : bound;
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* Binds a text to a column; an empty text leaves the column NULL. */
static int bind_text(sqlite3_stmt *row, int column, const char *text) {
  return text[0] == 0 ? SQLITE_OK : sqlite3_bind_text(row, 1 + column, text, -1, SQLITE_TRANSIENT);
}

static int write_event(fp_fleet_table *own, const char *device, const fencepost_event *event) {
  char time[32], evidence[32] = "";
  const char *decided_by = fp_event_decided_by(fp_fleet_places(own->fleet), event);
  fp_time_write(event->date_us, time);
  if (event->evidence_date_us != FENCEPOST_TIME_UNSET) fp_time_write(event->evidence_date_us, evidence);
  int code =
      fp_fleet_prepare(own, &own->write_event,
                       "INSERT INTO \"%w\".\"%w_events\" VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  if (code != SQLITE_OK) return code;
  sqlite3_stmt *row = own->write_event;
  const struct {
    int column;
    const char *text;
  } texts[] = {{FP_DEVICE, device},
               {FP_PLACE, event->identifier},
               {FP_KIND, fp_event_kind(event)},
               {FP_TIME, time},
               {FP_EVIDENCE_TIME, evidence},
               {FP_STATE, fencepost_state_name(event->state)},
               {FP_DECIDED_BY, decided_by == NULL ? "" : decided_by}};
  const struct {
    int column;
    double number;
  } numbers[] = {{FP_LATITUDE, event->latitude},       {FP_LONGITUDE, event->longitude},
                 {FP_ACCURACY, event->accuracy_m},     {FP_DISTANCE, event->boundary_distance_m},
                 {FP_PROBABILITY, event->probability}, {FP_VERTICAL_DISTANCE, event->vertical_distance_m}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts && code == SQLITE_OK; i++)
    code = bind_text(row, texts[i].column, texts[i].text);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers && code == SQLITE_OK; i++)
    code = sqlite3_bind_double(row, 1 + numbers[i].column, numbers[i].number);
  if (code == SQLITE_OK) code = sqlite3_bind_int64(row, 1 + FP_SEQUENCE, (sqlite3_int64)event->sequence);
  return fp_fleet_done(row, code);
}

static int write_outcome(fp_fleet_table *own, const char *device, const fp_outcome *outcome) {
  int code = SQLITE_OK;
  for (size_t i = 0; i < outcome->count && code == SQLITE_OK; i++) code = write_event(own, device, &outcome->events[i]);
  if (code == SQLITE_OK)
    code = fp_fleet_prepare(own, &own->write_device, "INSERT OR REPLACE INTO \"%w\".\"%w_devices\" VALUES (?, ?)");
  if (code != SQLITE_OK) return code;
  code = bind_text(own->write_device, 0, device);
  if (code == SQLITE_OK)
    code = sqlite3_bind_blob64(own->write_device, 2, outcome->state, outcome->state_size, SQLITE_TRANSIENT);
  return fp_fleet_done(own->write_device, code);
}

int fp_fleet_feed(fp_fleet_table *own, sqlite3_value **values) {
  fp_message message;
  fp_input input = {0};
  fp_outcome outcome;
  double accuracy = 0;
  int code = setup(own);
  if (code != SQLITE_OK) return code;
  if (sqlite3_value_type(values[FP_DEVICE]) == SQLITE_NULL)
    return fp_fleet_fail(own, "%s: the device is NULL", own->name);
  if (sqlite3_value_type(values[FP_DEVICE]) == SQLITE_BLOB)
    return fp_fleet_fail(own, "%s: the device is a BLOB; must be text or a number", own->name);
  input.device = (const char *)sqlite3_value_text(values[FP_DEVICE]);
  if (input.device == NULL) return SQLITE_NOMEM;
  if (strlen(input.device) != (size_t)sqlite3_value_bytes(values[FP_DEVICE]))
    return fp_fleet_fail(own, "%s: the device's identifier contains a zero byte", own->name);
  bool no_latitude = sqlite3_value_type(values[FP_LATITUDE]) == SQLITE_NULL;
  bool no_longitude = sqlite3_value_type(values[FP_LONGITUDE]) == SQLITE_NULL;
  input.beside = fp_nothing_beside();
  bool good = fp_value_time(values[FP_TIME], &own->options, NULL, &input.fix.time_us, &message);
  if (good && no_latitude != no_longitude)
    good = fp_fail(&message, "only one of latitude and longitude is NULL; set both, or neither");
  if (good && !no_latitude) {
    input.is_fix = true;
    good = fp_value_number(values[FP_LATITUDE], "latitude", &input.fix.latitude, &message) &&
           fp_value_number(values[FP_LONGITUDE], "longitude", &input.fix.longitude, &message) &&
           (sqlite3_value_type(values[FP_ACCURACY]) == SQLITE_NULL ||
            fp_value_number(values[FP_ACCURACY], "accuracy", &accuracy, &message)) &&
           fp_value_ellipse(values + FP_ERROR_MAJOR, &input.beside.ellipse, &message) &&
           fp_value_height(values + FP_ALTITUDE, &input.beside.height, &message);
    if (good && accuracy < 0)
      good = fp_fail(&message, "accuracy %g is negative; must be at least 0 metres, or NULL", accuracy);
    input.fix.accuracy_m = accuracy;
  }
  if (!good) return fp_fleet_fail(own, "%s: device \"%.60s\": %s", own->name, input.device, message.text);
  code = fp_fleet_prepare(own, &own->read_device, "SELECT state FROM \"%w\".\"%w_devices\" WHERE device = ?");
  if (code != SQLITE_OK) return code;
  code = bind_text(own->read_device, 0, input.device);
  int found = code == SQLITE_OK ? sqlite3_step(own->read_device) : code;
  if (found == SQLITE_ROW) {
    input.state = sqlite3_column_blob(own->read_device, 0);
    input.state_size = (size_t)sqlite3_column_bytes(own->read_device, 0);
    if (input.state == NULL && sqlite3_column_type(own->read_device, 0) != SQLITE_NULL) found = SQLITE_NOMEM;
  }
  good = (found == SQLITE_ROW || found == SQLITE_DONE) && fp_fleet_take(own->fleet, &input, &outcome, &message);
  sqlite3_reset(own->read_device);
  if (found != SQLITE_ROW && found != SQLITE_DONE) return found;
  if (!good) return refuse(own, &message);
  if (outcome.status != FENCEPOST_OK) {
    fp_fleet_fail(own, "%s: %s; INSERT OR IGNORE skips such rows", own->name, message.text);
    return SQLITE_CONSTRAINT;
  }
  return write_outcome(own, input.device, &outcome);
}
