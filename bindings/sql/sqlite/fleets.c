/*
 * CREATE VIRTUAL TABLE vans USING fencepost_fleet: a fleet whose devices are rows of the same database, so that changes
 * of devices are part of the database's transactions.
 *
 * - INSERT INTO vans(places) VALUES (...) sets the places (a BLOB from fp_places()), and optionally `options`.
 * - INSERT INTO vans(device, time, latitude, longitude, accuracy) VALUES ... feeds a fix; without a position, only time
 *   passes. A fix may have error_major, error_minor and error_orientation, and altitude, vertical_accuracy,
 *   geoid_height and ground_height.
 * - SELECT ... FROM vans reads the pending events, in order.
 * - DELETE FROM vans WHERE ... acknowledges the events that match.
 * - DELETE FROM vans_devices WHERE device = ... removes a device.
 *
 * Shadow tables: vans_setup (version, options, places), vans_devices (device, state), vans_events (the columns of an
 * event).
 */
#include <string.h>
#include "fleet.h"

static const char columns[] =
    "device TEXT, place TEXT, kind TEXT, time TEXT, evidence_time TEXT, state TEXT, latitude REAL, longitude REAL, "
    "accuracy REAL, distance REAL, sequence INTEGER, probability REAL, vertical_distance REAL, decided_by TEXT";

int fp_fleet_fail(fp_fleet_table *own, const char *format, ...) {
  va_list values;
  va_start(values, format);
  sqlite3_free(own->base.zErrMsg);
  own->base.zErrMsg = sqlite3_vmprintf(format, values);
  va_end(values);
  return SQLITE_ERROR;
}

void fp_fleet_reset(fp_fleet_table *own) {
  fp_fleet_destroy(own->fleet);
  own->fleet = NULL;
}

static int run(fp_fleet_table *own, const char *format) {
  char *sql = sqlite3_mprintf(format, own->schema, own->name);
  if (sql == NULL) return SQLITE_NOMEM;
  int code = sqlite3_exec(own->db, sql, NULL, NULL, NULL);
  sqlite3_free(sql);
  return code;
}

int fp_fleet_prepare(fp_fleet_table *own, sqlite3_stmt **statement, const char *format) {
  if (*statement != NULL) return SQLITE_OK;
  char *sql = sqlite3_mprintf(format, own->schema, own->name);
  if (sql == NULL) return SQLITE_NOMEM;
  int code = sqlite3_prepare_v3(own->db, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
  sqlite3_free(sql);
  return code;
}

static void finalize(fp_fleet_table *own) {
  sqlite3_finalize(own->read_version);
  sqlite3_finalize(own->read_device);
  sqlite3_finalize(own->write_device);
  sqlite3_finalize(own->write_event);
  own->read_version = own->read_device = own->write_device = own->write_event = NULL;
}

static int disconnect(sqlite3_vtab *base) {
  fp_fleet_table *own = (fp_fleet_table *)base;
  finalize(own);
  fp_fleet_reset(own);
  sqlite3_free(own->schema);
  sqlite3_free(own->name);
  sqlite3_free(own);
  return SQLITE_OK;
}

static int connect_table(sqlite3 *db, void *more, int argc, const char *const *argv, sqlite3_vtab **out, char **error) {
  (void)more;
  if (argc > 3) {
    *error =
        sqlite3_mprintf("fencepost_fleet takes no arguments; set its places with INSERT INTO %s(places) ...", argv[2]);
    return SQLITE_ERROR;
  }
  char *schema = sqlite3_mprintf(
      "CREATE TABLE x(%s, places HIDDEN, options HIDDEN, error_major HIDDEN, "
      "error_minor HIDDEN, error_orientation HIDDEN, altitude HIDDEN, vertical_accuracy HIDDEN, "
      "geoid_height HIDDEN, ground_height HIDDEN)",
      columns);
  int code = schema == NULL ? SQLITE_NOMEM : sqlite3_declare_vtab(db, schema);
  sqlite3_free(schema);
  if (code != SQLITE_OK) return code;
  sqlite3_vtab_config(db, SQLITE_VTAB_CONSTRAINT_SUPPORT, 1);
  fp_fleet_table *own = sqlite3_malloc64(sizeof *own);
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
  fp_fleet_table *own = (fp_fleet_table *)base;
  finalize(own);
  int code = run(own, "DROP TABLE IF EXISTS \"%w\".\"%w_setup\"");
  if (code == SQLITE_OK) code = run(own, "DROP TABLE IF EXISTS \"%w\".\"%w_devices\"");
  if (code == SQLITE_OK) code = run(own, "DROP TABLE IF EXISTS \"%w\".\"%w_events\"");
  return code == SQLITE_OK ? disconnect(base) : code;
}

static int rename_table(sqlite3_vtab *base, const char *name) {
  fp_fleet_table *own = (fp_fleet_table *)base;
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
  fp_fleet_table *of = (fp_fleet_table *)base->pVtab;
  sqlite3_finalize(own->events);
  own->events = NULL;
  int code = fp_fleet_prepare(
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
  if (number < FP_VISIBLE) sqlite3_result_value(context, sqlite3_column_value(((cursor *)base)->events, number + 1));
  return SQLITE_OK;
}

static int update(sqlite3_vtab *base, int argc, sqlite3_value **argv, sqlite3_int64 *out_row) {
  fp_fleet_table *own = (fp_fleet_table *)base;
  if (argc == 1) {
    sqlite3_stmt *remove = NULL;
    int code = fp_fleet_prepare(own, &remove, "DELETE FROM \"%w\".\"%w_events\" WHERE id = ?");
    if (code == SQLITE_OK) code = fp_fleet_done(remove, sqlite3_bind_value(remove, 1, argv[0]));
    sqlite3_finalize(remove);
    return code;
  }
  if (sqlite3_value_type(argv[0]) != SQLITE_NULL)
    return fp_fleet_fail(own, "%s: events cannot be changed, only deleted", own->name);
  sqlite3_value **values = argv + 2;
  static const int of_events[] = {FP_PLACE,    FP_KIND,        FP_EVIDENCE_TIME,     FP_STATE,     FP_DISTANCE,
                                  FP_SEQUENCE, FP_PROBABILITY, FP_VERTICAL_DISTANCE, FP_DECIDED_BY};
  for (size_t i = 0; i < sizeof of_events / sizeof *of_events; i++)
    if (sqlite3_value_type(values[of_events[i]]) != SQLITE_NULL)
      return fp_fleet_fail(own,
                           "%s: an input may only have device, time, latitude and longitude, accuracy, error_major, "
                           "error_minor and error_orientation, altitude, vertical_accuracy, geoid_height and "
                           "ground_height; the other columns belong to events",
                           own->name);
  *out_row = 0;
  if (sqlite3_value_type(values[FP_PLACES]) != SQLITE_NULL || sqlite3_value_type(values[FP_OPTIONS]) != SQLITE_NULL) {
    if (sqlite3_value_type(values[FP_DEVICE]) != SQLITE_NULL)
      return fp_fleet_fail(own, "%s: set places and options in a separate INSERT", own->name);
    return fp_fleet_change(own, values);
  }
  return fp_fleet_feed(own, values);
}

/* SQLite itself begins a transaction before a virtual table may write, and this transaction includes the shadow
   tables. */
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
