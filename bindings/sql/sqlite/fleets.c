/*
 * CREATE VIRTUAL TABLE vans USING fencepost_fleet: a fleet whose devices are
 * rows of the same database, so that they change with its transactions.
 *
 *   INSERT INTO vans(places) VALUES (...)       sets the places (a BLOB of
 * fp_places()); `options` beside it INSERT INTO vans(device, time, latitude,
 * longitude, accuracy) VALUES ...   feeds; without a position time passes
 *   SELECT ... FROM vans                        the events that wait, in the
 * order in which they came DELETE FROM vans WHERE ...                  they are
 * handled DELETE FROM vans_devices WHERE device = ... forgets a device
 *
 * Shadow tables: vans_setup (version, options, places), vans_devices (device,
 * state), vans_events (the columns of the events).
 */
#include "tables.h"
#include <string.h>

static const char columns[] =
    "device TEXT, place TEXT, kind TEXT, time TEXT, evidence_time TEXT, state "
    "TEXT, latitude REAL, longitude REAL, "
    "accuracy REAL, distance REAL, sequence INTEGER";
enum {
  VISIBLE = 11,
  PLACES = VISIBLE,
  OPTIONS,
  ALL_COLUMNS
};
enum {
  DEVICE,
  PLACE,
  KIND,
  TIME,
  EVIDENCE_TIME,
  STATE,
  LATITUDE,
  LONGITUDE,
  ACCURACY,
  DISTANCE,
  SEQUENCE
};

typedef struct table {
  sqlite3_vtab base;
  sqlite3 *db;
  char *schema, *name;
  fp_fleet *fleet; /* compiled at the first input; NULL: not yet, or the setup changed */
  fp_options options;
  sqlite3_stmt *read_version, *read_device, *write_device, *write_event;
  sqlite3_int64 version; /* of the setup that the fleet was compiled from */
} table;

static int fail(table *own, const char *format, ...) {
  va_list values;
  va_start(values, format);
  sqlite3_free(own->base.zErrMsg);
  own->base.zErrMsg = sqlite3_vmprintf(format, values);
  va_end(values);
  return SQLITE_ERROR;
}

/* Reports a message of the core, with SQLite's code for it. */
static int refuse(table *own, const fp_message *message) {
  fail(own, "%s: %s", own->name, message->text);
  return fp_code(message);
}

static void reset(table *own) {
  fp_fleet_destroy(own->fleet);
  own->fleet = NULL;
}

static int run(table *own, const char *format) {
  char *sql = sqlite3_mprintf(format, own->schema, own->name);
  if (sql == NULL) return SQLITE_NOMEM;
  int code = sqlite3_exec(own->db, sql, NULL, NULL, NULL);
  sqlite3_free(sql);
  return code;
}

static int prepare(table *own, sqlite3_stmt **statement, const char *format) {
  if (*statement != NULL) return SQLITE_OK;
  char *sql = sqlite3_mprintf(format, own->schema, own->name);
  if (sql == NULL) return SQLITE_NOMEM;
  int code = sqlite3_prepare_v3(own->db, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
  sqlite3_free(sql);
  return code;
}

static void finalize(table *own) {
  sqlite3_finalize(own->read_version);
  sqlite3_finalize(own->read_device);
  sqlite3_finalize(own->write_device);
  sqlite3_finalize(own->write_event);
  own->read_version = own->read_device = own->write_device = own->write_event = NULL;
}

static int disconnect(sqlite3_vtab *base) {
  table *own = (table *)base;
  finalize(own);
  reset(own);
  sqlite3_free(own->schema);
  sqlite3_free(own->name);
  sqlite3_free(own);
  return SQLITE_OK;
}

static int connect_table(sqlite3 *db, void *more, int argc, const char *const *argv, sqlite3_vtab **out, char **error) {
  (void)more;
  if (argc > 3) {
    *error = sqlite3_mprintf(
        "fencepost_fleet takes no arguments; set its "
        "places with INSERT INTO %s(places) ...",
        argv[2]);
    return SQLITE_ERROR;
  }
  char *schema = sqlite3_mprintf("CREATE TABLE x(%s, places HIDDEN, options HIDDEN)", columns);
  int code = schema == NULL ? SQLITE_NOMEM : sqlite3_declare_vtab(db, schema);
  sqlite3_free(schema);
  if (code != SQLITE_OK) return code;
  sqlite3_vtab_config(db, SQLITE_VTAB_CONSTRAINT_SUPPORT, 1);
  table *own = sqlite3_malloc64(sizeof *own);
  if (own == NULL) return SQLITE_NOMEM;
  memset(own, 0, sizeof *own);
  own->db = db;
  own->schema = sqlite3_mprintf("%s", argv[1]);
  own->name = sqlite3_mprintf("%s", argv[2]);
  if (own->schema == NULL || own->name == NULL) {
    disconnect(&own->base);
    return SQLITE_NOMEM;
  }
  *out = &own->base;
  return SQLITE_OK;
}

static int create(sqlite3 *db, void *more, int argc, const char *const *argv, sqlite3_vtab **out, char **error) {
  int code = connect_table(db, more, argc, argv, out, error);
  if (code != SQLITE_OK) return code;
  char *sql = sqlite3_mprintf(
      "CREATE TABLE \"%w\".\"%w_setup\"(id INTEGER PRIMARY KEY "
      "CHECK (id = 1), version INTEGER, options TEXT, "
      "places BLOB); INSERT INTO \"%w\".\"%w_setup\" VALUES "
      "(1, random(), NULL, NULL);"
      "CREATE TABLE \"%w\".\"%w_devices\"(device TEXT PRIMARY "
      "KEY, state BLOB) WITHOUT ROWID;"
      "CREATE TABLE \"%w\".\"%w_events\"(id INTEGER PRIMARY "
      "KEY AUTOINCREMENT, %s)",
      argv[1], argv[2], argv[1], argv[2], argv[1], argv[2], argv[1], argv[2], columns);
  code = sql == NULL ? SQLITE_NOMEM : sqlite3_exec(db, sql, NULL, NULL, error);
  sqlite3_free(sql);
  if (code != SQLITE_OK) disconnect(*out);
  return code;
}

static int destroy(sqlite3_vtab *base) {
  table *own = (table *)base;
  finalize(own);
  int code = run(own, "DROP TABLE IF EXISTS \"%w\".\"%w_setup\"");
  if (code == SQLITE_OK) code = run(own, "DROP TABLE IF EXISTS \"%w\".\"%w_devices\"");
  if (code == SQLITE_OK) code = run(own, "DROP TABLE IF EXISTS \"%w\".\"%w_events\"");
  return code == SQLITE_OK ? disconnect(base) : code;
}

static int rename_table(sqlite3_vtab *base, const char *name) {
  table *own = (table *)base;
  static const char *const suffixes[] = {"setup", "devices", "events"};
  finalize(own);
  for (int i = 0; i < 3; i++) {
    char *sql = sqlite3_mprintf("ALTER TABLE \"%w\".\"%w_%s\" RENAME TO \"%w_%s\"", own->schema, own->name, suffixes[i],
                                name, suffixes[i]);
    int code = sql == NULL ? SQLITE_NOMEM : sqlite3_exec(own->db, sql, NULL, NULL, NULL);
    sqlite3_free(sql);
    if (code != SQLITE_OK) return code;
  }
  char *copy = sqlite3_mprintf("%s", name);
  if (copy == NULL) return SQLITE_NOMEM;
  sqlite3_free(own->name);
  own->name = copy;
  return SQLITE_OK;
}

static int is_shadow(const char *suffix) {
  return sqlite3_stricmp(suffix, "setup") == 0 || sqlite3_stricmp(suffix, "devices") == 0 ||
         sqlite3_stricmp(suffix, "events") == 0;
}

/* --------------------------------------------------------------------------------------------- events */

typedef struct cursor {
  sqlite3_vtab_cursor base;
  sqlite3_stmt *events;
  bool over;
} cursor;

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info) {
  (void)base;
  for (int i = 0; i < info->nConstraint; i++)
    if (info->aConstraint[i].usable && info->aConstraint[i].iColumn == -1 &&
        info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ) {
      info->aConstraintUsage[i].argvIndex = 1;
      info->idxNum = 1;
      info->estimatedCost = 1;
      return SQLITE_OK;
    }
  info->estimatedCost = 1000;
  if (info->nOrderBy == 1 && info->aOrderBy[0].iColumn == -1 && !info->aOrderBy[0].desc) info->orderByConsumed = 1;
  return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **out) {
  (void)base;
  return fp_open_cursor(sizeof(cursor), out);
}

static int close_cursor(sqlite3_vtab_cursor *base) {
  sqlite3_finalize(((cursor *)base)->events);
  sqlite3_free(base);
  return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base) {
  cursor *own = (cursor *)base;
  int code = sqlite3_step(own->events);
  own->over = code != SQLITE_ROW;
  return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *text, int argc, sqlite3_value **argv) {
  (void)text, (void)argc;
  cursor *own = (cursor *)base;
  table *of = (table *)base->pVtab;
  sqlite3_finalize(own->events);
  own->events = NULL;
  int code = prepare(
      of, &own->events,
      number ? "SELECT * FROM \"%w\".\"%w_events\" WHERE id = ?" : "SELECT * FROM \"%w\".\"%w_events\" ORDER BY id");
  if (code == SQLITE_OK && number) code = sqlite3_bind_value(own->events, 1, argv[0]);
  return code == SQLITE_OK ? next(base) : code;
}

static int at_end(sqlite3_vtab_cursor *base) { return ((cursor *)base)->over; }
static int row_number(sqlite3_vtab_cursor *base, sqlite3_int64 *out) {
  *out = sqlite3_column_int64(((cursor *)base)->events, 0);
  return SQLITE_OK;
}
static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number) {
  if (number < VISIBLE) sqlite3_result_value(context, sqlite3_column_value(((cursor *)base)->events, number + 1));
  return SQLITE_OK;
}

/* ---------------------------------------------------------------------------------------------- input */

/* Compiles the fleet from the setup. */
static int compile(table *own) {
  sqlite3_stmt *query = NULL;
  fp_message message = {FP_NO_MEMORY, "out of memory"};
  int code = prepare(own, &query, "SELECT version, options, places FROM \"%w\".\"%w_setup\" WHERE id = 1");
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
    code = fail(own,
                "%s has no places yet: INSERT INTO %s(places) SELECT "
                "fp_places(...) ...",
                own->name, own->name);
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
 * Compiles the fleet anew where the setup has another version. A version is a random number: another connection may have
 * changed the setup, and a number that counts would come twice when a transaction that changed it was rolled back.
 */
static int setup(table *own) {
  int code = prepare(own, &own->read_version, "SELECT version FROM \"%w\".\"%w_setup\" WHERE id = 1");
  if (code != SQLITE_OK) return code;
  code = sqlite3_step(own->read_version);
  sqlite3_int64 version = code == SQLITE_ROW ? sqlite3_column_int64(own->read_version, 0) : 0;
  sqlite3_reset(own->read_version);
  if (code == SQLITE_DONE) return fail(own, "%s: the table %s_setup is empty", own->name, own->name);
  if (code != SQLITE_ROW) return code;
  if (own->fleet != NULL && version == own->version) return SQLITE_OK;
  reset(own);
  return compile(own);
}

static int change_setup(table *own, sqlite3_value **values) {
  fp_message message;
  fp_options options;
  sqlite3_value *places = values[PLACES], *text = values[OPTIONS];
  if (sqlite3_value_type(places) != SQLITE_NULL && sqlite3_value_type(places) != SQLITE_BLOB)
    return fail(own, "%s: places are a BLOB of fp_places()", own->name);
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
  int code = prepare(own, &change,
                     "UPDATE \"%w\".\"%w_setup\" SET places = coalesce(?1, "
                     "places), options = coalesce(?2, options), "
                     "version = random() WHERE id = 1");
  if (code == SQLITE_OK) code = sqlite3_bind_value(change, 1, places);
  if (code == SQLITE_OK) code = sqlite3_bind_value(change, 2, text);
  if (code == SQLITE_OK && (code = sqlite3_step(change)) == SQLITE_DONE) code = SQLITE_OK;
  sqlite3_finalize(change);
  reset(own);
  return code;
}

/* Runs a statement whose values were bound; `bound` is SQLITE_OK, or what binding them gave. */
static int done(sqlite3_stmt *statement, int bound) {
  int code = bound == SQLITE_OK ? sqlite3_step(statement) : bound;
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* Binds a text; an empty one stays NULL. */
static int bind_text(sqlite3_stmt *row, int column, const char *text) {
  return text[0] == 0 ? SQLITE_OK : sqlite3_bind_text(row, 1 + column, text, -1, SQLITE_TRANSIENT);
}

static int write_event(table *own, const char *device, const fencepost_event *event) {
  char time[32], evidence[32] = "";
  fp_time_write(event->date_us, time);
  if (event->evidence_date_us != FENCEPOST_TIME_UNSET) fp_time_write(event->evidence_date_us, evidence);
  int code = prepare(own, &own->write_event,
                     "INSERT INTO \"%w\".\"%w_events\" VALUES (NULL, ?, ?, ?, "
                     "?, ?, ?, ?, ?, ?, ?, ?)");
  if (code != SQLITE_OK) return code;
  sqlite3_stmt *row = own->write_event;
  const struct {
    int column;
    const char *text;
  } texts[] = {{DEVICE, device}, {PLACE, event->identifier}, {KIND, fp_event_kind(event)},
               {TIME, time},     {EVIDENCE_TIME, evidence},  {STATE, fencepost_state_name(event->state)}};
  const struct {
    int column;
    double number;
  } numbers[] = {{LATITUDE, event->latitude},
                 {LONGITUDE, event->longitude},
                 {ACCURACY, event->accuracy_m},
                 {DISTANCE, event->boundary_distance_m}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts && code == SQLITE_OK; i++)
    code = bind_text(row, texts[i].column, texts[i].text);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers && code == SQLITE_OK; i++)
    code = sqlite3_bind_double(row, 1 + numbers[i].column, numbers[i].number);
  if (code == SQLITE_OK) code = sqlite3_bind_int64(row, 1 + SEQUENCE, (sqlite3_int64)event->sequence);
  return done(row, code);
}

static int write_outcome(table *own, const char *device, const fp_outcome *outcome) {
  int code = SQLITE_OK;
  for (size_t i = 0; i < outcome->count && code == SQLITE_OK; i++) code = write_event(own, device, &outcome->events[i]);
  if (code == SQLITE_OK)
    code = prepare(own, &own->write_device, "INSERT OR REPLACE INTO \"%w\".\"%w_devices\" VALUES (?, ?)");
  if (code != SQLITE_OK) return code;
  code = bind_text(own->write_device, 0, device);
  if (code == SQLITE_OK)
    code = sqlite3_bind_blob64(own->write_device, 2, outcome->state, outcome->state_size, SQLITE_TRANSIENT);
  return done(own->write_device, code);
}

static int feed(table *own, sqlite3_value **values) {
  fp_message message;
  fp_input input = {0};
  fp_outcome outcome;
  double accuracy = 0;
  int code = setup(own);
  if (code != SQLITE_OK) return code;
  if (sqlite3_value_type(values[DEVICE]) == SQLITE_NULL) return fail(own, "%s: the device is NULL", own->name);
  if (sqlite3_value_type(values[DEVICE]) == SQLITE_BLOB)
    return fail(own, "%s: the device is a BLOB; accepted are text and numbers", own->name);
  input.device = (const char *)sqlite3_value_text(values[DEVICE]);
  if (input.device == NULL) return SQLITE_NOMEM;
  if (strlen(input.device) != (size_t)sqlite3_value_bytes(values[DEVICE]))
    return fail(own, "%s: the device has a zero byte", own->name);
  bool no_latitude = sqlite3_value_type(values[LATITUDE]) == SQLITE_NULL;
  bool no_longitude = sqlite3_value_type(values[LONGITUDE]) == SQLITE_NULL;
  bool good = fp_value_time(values[TIME], &own->options, &input.fix.time_us, &message);
  if (good && no_latitude != no_longitude) good = fp_fail(&message, "latitude or longitude is NULL; both or none are");
  if (good && !no_latitude) {
    input.is_fix = true;
    good = fp_value_number(values[LATITUDE], "latitude", &input.fix.latitude, &message) &&
           fp_value_number(values[LONGITUDE], "longitude", &input.fix.longitude, &message) &&
           (sqlite3_value_type(values[ACCURACY]) == SQLITE_NULL ||
            fp_value_number(values[ACCURACY], "accuracy", &accuracy, &message));
    if (good && accuracy < 0)
      good = fp_fail(&message, "accuracy %g is negative; accepted are metres from 0, or NULL", accuracy);
    input.fix.accuracy_m = accuracy;
  }
  if (!good) return fail(own, "%s: device \"%.60s\": %s", own->name, input.device, message.text);
  code = prepare(own, &own->read_device, "SELECT state FROM \"%w\".\"%w_devices\" WHERE device = ?");
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
    fail(own, "%s: %s; INSERT OR IGNORE leaves such rows out", own->name, message.text);
    return SQLITE_CONSTRAINT;
  }
  return write_outcome(own, input.device, &outcome);
}

static int update(sqlite3_vtab *base, int argc, sqlite3_value **argv, sqlite3_int64 *out_row) {
  table *own = (table *)base;
  if (argc == 1) {
    sqlite3_stmt *remove = NULL;
    int code = prepare(own, &remove, "DELETE FROM \"%w\".\"%w_events\" WHERE id = ?");
    if (code == SQLITE_OK) code = done(remove, sqlite3_bind_value(remove, 1, argv[0]));
    sqlite3_finalize(remove);
    return code;
  }
  if (sqlite3_value_type(argv[0]) != SQLITE_NULL)
    return fail(own, "%s: events cannot be changed, only deleted", own->name);
  sqlite3_value **values = argv + 2;
  static const int of_events[] = {PLACE, KIND, EVIDENCE_TIME, STATE, DISTANCE, SEQUENCE};
  for (size_t i = 0; i < sizeof of_events / sizeof *of_events; i++)
    if (sqlite3_value_type(values[of_events[i]]) != SQLITE_NULL)
      return fail(own,
                  "%s: an input has device, time, latitude, longitude and "
                  "accuracy; the other columns are of events",
                  own->name);
  *out_row = 0;
  if (sqlite3_value_type(values[PLACES]) != SQLITE_NULL || sqlite3_value_type(values[OPTIONS]) != SQLITE_NULL) {
    if (sqlite3_value_type(values[DEVICE]) != SQLITE_NULL)
      return fail(own, "%s: set places and options in a row of their own", own->name);
    return change_setup(own, values);
  }
  return feed(own, values);
}

/* SQLite asks for a transaction before a virtual table may write; the shadow tables are in it. */
static int begin(sqlite3_vtab *base) {
  (void)base;
  return SQLITE_OK;
}

static const sqlite3_module module = {FP_CURSOR_METHODS,        .iVersion = 3,
                                      .xCreate = create,        .xConnect = connect_table,
                                      .xBestIndex = best_index, .xDisconnect = disconnect,
                                      .xDestroy = destroy,      .xUpdate = update,
                                      .xBegin = begin,          .xRename = rename_table,
                                      .xShadowName = is_shadow};

int fp_register_fleets(sqlite3 *db) { return sqlite3_create_module(db, "fencepost_fleet", &module, NULL); }
