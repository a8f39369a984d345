/*
 * Implements fp_events, fp_visits and fp_counts, with the arguments (fixes, places [, options]). `fixes` is the text of
 * a query, run on the same connection, with the columns device, time, latitude, longitude, and optionally accuracy, and
 * then optionally error_major, error_minor and error_orientation, and then optionally altitude, vertical_accuracy,
 * geoid_height and ground_height.
 */
#include <stdlib.h>
#include <string.h>
#include "tables.h"

typedef struct device {
  char *name; /* as text */
  size_t size;
  fp_track track;
} device;

typedef struct cursor {
  sqlite3_vtab_cursor base;
  enum {
    EVENTS,
    VISITS,
    COUNTS
  } kind;
  fp_options options;
  fp_places *places;
  fp_zones zones;
  device *devices; /* the devices, which are sorted by name after all rows were read */
  size_t device_count, device_capacity;
  size_t *slots; /* hash table with open addressing: index of a device + 1 */
  size_t slot_count;
  size_t current; /* device */
  fp_replay *replay;
  fencepost_event event;
  fp_visit *list;
  fp_counts counts;
  size_t count, at; /* of `list`; with COUNTS, `count` says whether the device was counted */
  bool over;
  sqlite3_int64 row;
  fp_cancel cancel; /* checks for interrupts by running the statement to which `host` points */
} cursor;

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **out) {
  int code = fp_open_cursor(sizeof(cursor), out);
  if (code != SQLITE_OK) return code;
  const char *name = ((const fp_table *)table)->function->name;
  ((cursor *)*out)->kind = strcmp(name, "fp_visits") == 0 ? VISITS : strcmp(name, "fp_counts") == 0 ? COUNTS : EVENTS;
  return code;
}

/* SQLite 3.40 has no function to check for an interrupt, so run one step of a statement: the step fails if there is an
   interrupt. */
static bool interrupted(void *host) {
  sqlite3_stmt *any = host;
  int code = sqlite3_step(any);
  sqlite3_reset(any);
  return code == SQLITE_INTERRUPT;
}

static void clear(cursor *own) {
  fp_replay_end(own->replay);
  free(own->list);
  for (size_t i = 0; i < own->device_count; i++) {
    fp_track_clear(&own->devices[i].track);
    sqlite3_free(own->devices[i].name);
  }
  sqlite3_free(own->devices);
  sqlite3_free(own->slots);
  sqlite3_finalize(own->cancel.host);
  own->cancel.host = NULL;
  fp_places_release(own->places);
  own->replay = NULL, own->list = NULL, own->devices = NULL, own->slots = NULL, own->places = NULL;
  own->device_count = own->device_capacity = own->slot_count = own->current = own->count = own->at = 0;
}

static int close_cursor(sqlite3_vtab_cursor *base) {
  clear((cursor *)base);
  sqlite3_free(base);
  return SQLITE_OK;
}

static uint64_t hash(const char *name, size_t size) {
  uint64_t value = 14695981039346656037u; /* FNV-1a */
  for (size_t i = 0; i < size; i++) value = (value ^ (uint8_t)name[i]) * 1099511628211u;
  return value;
}

static bool enlarge(cursor *own) {
  size_t count = own->slot_count < 64 ? 64 : own->slot_count * 2;
  size_t *slots = sqlite3_malloc64(count * sizeof *slots);
  if (slots == NULL) return false;
  memset(slots, 0, count * sizeof *slots);
  for (size_t i = 0; i < own->device_count; i++) {
    size_t at = hash(own->devices[i].name, own->devices[i].size) & (count - 1);
    while (slots[at] != 0) at = (at + 1) & (count - 1);
    slots[at] = i + 1;
  }
  sqlite3_free(own->slots);
  own->slots = slots;
  own->slot_count = count;
  return true;
}

/* Finds the device with this name, or adds it; returns NULL if memory is exhausted. */
static device *device_named(cursor *own, const char *name, size_t size) {
  if (own->device_count * 2 >= own->slot_count && !enlarge(own)) return NULL;
  size_t at = hash(name, size) & (own->slot_count - 1);
  for (; own->slots[at] != 0; at = (at + 1) & (own->slot_count - 1)) {
    device *found = &own->devices[own->slots[at] - 1];
    if (found->size == size && memcmp(found->name, name, size) == 0) return found;
  }
  if (own->device_count == own->device_capacity) {
    size_t capacity = own->device_capacity < 16 ? 16 : own->device_capacity * 2;
    device *devices = sqlite3_realloc64(own->devices, capacity * sizeof *devices);
    if (devices == NULL) return NULL;
    own->devices = devices;
    own->device_capacity = capacity;
  }
  char *copy = sqlite3_malloc64(size + 1);
  if (copy == NULL) return NULL;
  memcpy(copy, name, size);
  copy[size] = 0;
  own->slots[at] = own->device_count + 1;
  own->devices[own->device_count] = (device){copy, size, {0}};
  return &own->devices[own->device_count++];
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const device *)a)->name, ((const device *)b)->name);
}

/* Reads one row of the query. A row without a position or time is not a fix and is skipped. */
static bool read_row(cursor *own, sqlite3_stmt *query, int columns, fp_message *message) {
  sqlite3_value *values[12];
  for (int i = 0; i < columns; i++) values[i] = sqlite3_column_value(query, i);
  for (int i = 1; i < 4; i++)
    if (sqlite3_value_type(values[i]) == SQLITE_NULL) return true;
  double latitude, longitude, accuracy = 0;
  fp_beside beside = fp_nothing_beside();
  int64_t time_us;
  if (sqlite3_value_type(values[0]) == SQLITE_NULL)
    return fp_fail(message, "the device is NULL; skip such rows with WHERE ... IS NOT NULL");
  if (!fp_value_time(values[1], &own->options, &own->zones, &time_us, message) ||
      !fp_value_number(values[2], "latitude", &latitude, message) ||
      !fp_value_number(values[3], "longitude", &longitude, message) ||
      (columns >= 5 && sqlite3_value_type(values[4]) != SQLITE_NULL &&
       !fp_value_number(values[4], "accuracy", &accuracy, message)) ||
      (columns >= 8 && !fp_value_ellipse(values + 5, &beside.ellipse, message)) ||
      (columns == 12 && !fp_value_height(values + 8, &beside.height, message)))
    return false;
  const char *name = (const char *)sqlite3_value_text(values[0]);
  if (name == NULL) return fp_no_memory(message);
  if (strlen(name) != (size_t)sqlite3_value_bytes(values[0]))
    return fp_fail(message, "the device's identifier contains a zero byte");
  device *found = device_named(own, name, (size_t)sqlite3_value_bytes(values[0]));
  if (found == NULL) return fp_no_memory(message);
  return fp_track_add(&found->track, &own->options, latitude, longitude, accuracy, &beside, time_us, message);
}

static bool read_fixes(cursor *own, const char *sql, fp_message *message) {
  sqlite3 *db = ((fp_table *)own->base.pVtab)->db;
  sqlite3_stmt *query = NULL;
  const char *rest = NULL;
  bool good = sqlite3_prepare_v2(db, sql, -1, &query, &rest) == SQLITE_OK;
  if (!good) fp_fail(message, "the query of the fixes: %s", sqlite3_errmsg(db));
  int columns = query == NULL ? 0 : sqlite3_column_count(query);
  while (good && rest != NULL && (*rest == ' ' || *rest == '\n' || *rest == ';' || *rest == '\t')) rest++;
  if (good && (query == NULL || !sqlite3_stmt_readonly(query) ||
               (columns != 4 && columns != 5 && columns != 8 && columns != 12) || *rest != 0))
    good = fp_fail(
        message,
        "the fixes must be one SELECT of device, time, latitude, longitude, and optionally accuracy, and then "
        "optionally error_major, error_minor, error_orientation, and then optionally altitude, vertical_accuracy, "
        "geoid_height, ground_height; this one has %d columns",
        columns);
  size_t row = 0;
  while (good) {
    int code = sqlite3_step(query);
    if (code == SQLITE_DONE) break;
    if (code != SQLITE_ROW) {
      good = fp_fail(message, "the query of the fixes: %s", sqlite3_errmsg(db));
      if (code == SQLITE_INTERRUPT) message->cause = FP_CANCELLED;
      if (code == SQLITE_NOMEM) message->cause = FP_NO_MEMORY;
    }
    row++;
    fp_message why;
    if (!read_row(own, query, columns, &why)) {
      good = fp_fail(message, "row %zu of the fixes: %.450s", row, why.text);
      message->cause = why.cause;
    }
  }
  sqlite3_finalize(query);
  if (!good) return false;
  qsort(own->devices, own->device_count, sizeof *own->devices, by_name);
  return true;
}

/* Advances to the next event or visit, moving to the next device if necessary. */
static int advance(cursor *own) {
  fp_message message;
  own->row++;
  for (;; own->current++) {
    if (own->current == own->device_count) {
      own->over = true;
      return SQLITE_OK;
    }
    device *device = &own->devices[own->current];
    if (own->kind == COUNTS) {
      if (own->count == 0) {
        if (!fp_count(own->places, &device->track, &own->cancel, &own->counts, &message))
          return fp_table_fail(own->base.pVtab, &message);
        own->count = 1;
        return SQLITE_OK;
      }
      own->count = 0;
    } else if (own->kind == VISITS) {
      if (own->list == NULL && own->count == 0) {
        if (!fp_visits(own->places, &device->track, &own->options, &own->cancel, &own->list, &own->count, &message))
          return fp_table_fail(own->base.pVtab, &message);
        own->at = 0;
      } else {
        own->at++;
      }
      if (own->at < own->count) return SQLITE_OK;
      free(own->list);
      own->list = NULL;
      own->count = 0;
    } else {
      bool available = false;
      if (own->replay == NULL) own->replay = fp_replay_begin(own->places, &device->track, &own->cancel, &message);
      if (own->replay == NULL || !fp_replay_next(own->replay, &own->event, &available, &message))
        return fp_table_fail(own->base.pVtab, &message);
      if (available) return SQLITE_OK;
      fp_replay_end(own->replay);
      own->replay = NULL;
    }
    fp_track_clear(&device->track);
  }
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *text, int argc, sqlite3_value **argv) {
  (void)number, (void)text;
  cursor *own = (cursor *)base;
  fp_message message;
  size_t size;
  clear(own);
  own->over = false;
  own->row = 0;
  own->zones = FP_ZONES_UNSEEN;
  if (sqlite3_value_type(argv[0]) != SQLITE_TEXT)
    return fp_table_refuse(base->pVtab, "the first argument must be the text of a SELECT of the fixes");
  if (sqlite3_value_type(argv[1]) != SQLITE_BLOB)
    return fp_table_refuse(base->pVtab, "the second argument must be a BLOB of fp_places()");
  if (!fp_value_options(argc > 2 ? argv[2] : NULL, FP_OPTIONS_OF_REPLAYS, &own->options, &message))
    return fp_table_fail(base->pVtab, &message);
  sqlite3_stmt *any = NULL;
  if (sqlite3_prepare_v2(((fp_table *)base->pVtab)->db, "SELECT 1", -1, &any, NULL) != SQLITE_OK) return SQLITE_NOMEM;
  own->cancel = (fp_cancel){interrupted, any};
  const void *bytes = fp_value_bytes(argv[1], &size);
  own->places = fp_places_get(bytes, size, &own->options, &message);
  if (own->places == NULL) return fp_table_fail(base->pVtab, &message);
  const char *query = (const char *)sqlite3_value_text(argv[0]);
  if (query == NULL) return SQLITE_NOMEM;
  if (read_fixes(own, query, &message)) return advance(own);
  clear(own);
  return fp_table_fail(base->pVtab, &message);
}

static int next(sqlite3_vtab_cursor *base) { return advance((cursor *)base); }
static int at_end(sqlite3_vtab_cursor *base) { return ((cursor *)base)->over; }
static int row_number(sqlite3_vtab_cursor *base, sqlite3_int64 *out) {
  *out = ((cursor *)base)->row;
  return SQLITE_OK;
}

static void result_time(sqlite3_context *context, int64_t time_us) {
  char text[32];
  if (time_us == FENCEPOST_TIME_UNSET) return;
  fp_time_write(time_us, text);
  sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

static void result_text(sqlite3_context *context, const char *text) {
  if (text != NULL) sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

static void visit_column(const fp_visit *visit, sqlite3_context *context, int number) {
  switch (number) {
    case 1: result_text(context, visit->identifier); break;
    case 2: result_time(context, visit->start_us); break;
    case 3:
      if (!visit->open) result_time(context, visit->end_us);
      break;
    case 4: sqlite3_result_double(context, (double)(visit->end_us - visit->start_us) / 1e6); break;
    case 5: result_text(context, visit->start_known); break;
    case 6: result_text(context, visit->end_known); break;
    case 7: result_time(context, visit->confirmed_start_us); break;
    case 8:
      if (!visit->open) result_time(context, visit->confirmed_end_us);
      break;
    default: break;
  }
}

static void event_column(const fp_places *places, const fencepost_event *event, sqlite3_context *context, int number) {
  switch (number) {
    case 1: result_text(context, event->identifier); break;
    case 2: result_text(context, fp_event_kind(event)); break;
    case 3: result_time(context, event->date_us); break;
    case 4: result_time(context, event->evidence_date_us); break;
    case 5: result_text(context, fencepost_state_name(event->state)); break;
    case 6: sqlite3_result_double(context, event->latitude); break;
    case 7: sqlite3_result_double(context, event->longitude); break;
    case 8: sqlite3_result_double(context, event->accuracy_m); break;
    case 9: sqlite3_result_double(context, event->boundary_distance_m); break;
    case 10: sqlite3_result_int64(context, (sqlite3_int64)event->sequence); break;
    case 11: result_text(context, fp_event_direction(event)); break;
    case 12: sqlite3_result_int(context, (event->flags & FENCEPOST_EVENT_ON_PATH) != 0); break;
    case 13: sqlite3_result_int(context, (event->flags & FENCEPOST_EVENT_AFTER_GAP) != 0); break;
    case 14: sqlite3_result_double(context, event->probability); break; /* NaN is NULL */
    case 15: sqlite3_result_double(context, event->vertical_distance_m); break;
    case 16: result_text(context, fp_event_decided_by(places, event)); break;
    default: break;
  }
}

static void count_column(const fp_counts *counts, sqlite3_context *context, int number) {
  const uint64_t numbers[] = {counts->accepted, counts->invalid, counts->late, counts->doubted};
  if (number >= 1 && number <= 4) sqlite3_result_int64(context, (sqlite3_int64)numbers[number - 1]);
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number) {
  const cursor *own = (const cursor *)base;
  if (number == 0) result_text(context, own->devices[own->current].name);
  else if (own->kind == COUNTS) count_column(&own->counts, context, number);
  else if (own->kind == VISITS) visit_column(&own->list[own->at], context, number);
  else event_column(own->places, &own->event, context, number);
  return SQLITE_OK;
}

static const sqlite3_module module = {FP_FUNCTION_METHODS, FP_CURSOR_METHODS};

int fp_register_replays(sqlite3 *db) {
  static fp_function events = {
      "fp_events",
      "CREATE TABLE x(device TEXT, place TEXT, kind TEXT, time TEXT, evidence_time TEXT, "
      "state TEXT, latitude REAL, longitude REAL, accuracy REAL, distance REAL, "
      "sequence INTEGER, direction TEXT, on_path INTEGER, after_gap INTEGER, "
      "probability REAL, vertical_distance REAL, decided_by TEXT, fixes HIDDEN, places HIDDEN, "
      "options HIDDEN)",
      17,
      2,
      3,
      true};
  static fp_function visits = {"fp_visits",
                               "CREATE TABLE x(device TEXT, place TEXT, start TEXT, \"end\" TEXT, duration REAL, "
                               "start_known TEXT, end_known TEXT, confirmed_start TEXT, confirmed_end TEXT, "
                               "fixes HIDDEN, places HIDDEN, options HIDDEN)",
                               9,
                               2,
                               3,
                               true};
  static fp_function counts = {"fp_counts",
                               "CREATE TABLE x(device TEXT, accepted INTEGER, invalid INTEGER, late INTEGER, "
                               "doubted INTEGER, fixes HIDDEN, places HIDDEN, options HIDDEN)",
                               5,
                               2,
                               3,
                               true};
  fp_function *const functions[] = {&events, &visits, &counts};
  int code = SQLITE_OK;
  for (size_t i = 0; i < sizeof functions / sizeof *functions && code == SQLITE_OK; i++)
    code = sqlite3_create_module(db, functions[i]->name, &module, functions[i]);
  return code;
}
