/*
 * Tests every structure that has a struct_size with callers of every older size and of a newer one. Memory beyond the
 * caller's size is poisoned: reading it would give nonsense, and writing it would show as a change. The structure
 * fencepost_error is always written as a whole; case_structures.c tests it.
 */
#include "fleets.h"

enum {
  TAIL = 16,
  POISON = 0xee,
  BLOCK = 1024
};

/* Memory in which a caller keeps a structure; `align` gives the memory the alignment of a structure. */
typedef union block {
  uint8_t bytes[BLOCK];
  uint64_t align;
} block;

/* A structure that the library reads, its INIT value, and a call that must succeed with this structure. */
typedef struct reader {
  const char *name;
  const void *init;
  size_t size;
  size_t smallest; /* the structure's size in the first header that declared it; 8 if the library accepts any size */
  fencepost_status (*call)(void *structure);
} reader;

static const fencepost_options monitor_options = FENCEPOST_MONITOR_OPTIONS_INIT;
static const fencepost_condition_definition condition_options = FENCEPOST_CONDITION_DEFINITION_INIT;
static const fencepost_transition_policy transition_policy = FENCEPOST_TRANSITION_POLICY_STANDARD_INIT;
static const fencepost_timing timing = FENCEPOST_TIMING_INIT;
static const fencepost_condition_definition condition_definition = {sizeof(fencepost_condition_definition),
                                                                    FENCEPOST_CONDITION_CIRCULAR_GEOGRAPHIC,
                                                                    "a",
                                                                    0,
                                                                    FENCEPOST_STATE_DEFAULT,
                                                                    0,
                                                                    0,
                                                                    -1,
                                                                    -1,
                                                                    0,
                                                                    NULL,
                                                                    0,
                                                                    0,
                                                                    100,
                                                                    0,
                                                                    {0},
                                                                    NULL,
                                                                    NULL,
                                                                    0,
                                                                    NULL,
                                                                    0,
                                                                    0,
                                                                    0,
                                                                    0,
                                                                    NULL,
                                                                    0,
                                                                    0,
                                                                    0};
static const fencepost_explanation explanation = FENCEPOST_EXPLANATION_INIT;
static const fencepost_shape shape = FENCEPOST_SHAPE_INIT;
static const fencepost_fix_columns fix_columns = FENCEPOST_FIX_COLUMNS_INIT;
static const fencepost_point_columns point_columns = FENCEPOST_POINT_COLUMNS_INIT;
static const fencepost_measured_columns measured_columns = FENCEPOST_MEASURED_COLUMNS_INIT;
static const fencepost_plan_options plan_options = FENCEPOST_PLAN_OPTIONS_INIT;
static const fencepost_fix_selection fix_selection = FENCEPOST_FIX_SELECTION_INIT;
static const double north[] = {0, 0, 1}, east[] = {0, 1, 0};
static const fencepost_geometry geometry = {sizeof(fencepost_geometry), 0, north, east, 3, NULL, 0, NULL, 0};
static const fencepost_options fleet_options = FENCEPOST_FLEET_OPTIONS_INIT;
static const fencepost_fleet_columns fleet_columns = {
    sizeof(fencepost_fleet_columns), 8, NULL, 8, NULL, 0, &fix_columns, 0, 0, 0};
static const fencepost_significant_change_filter filter = FENCEPOST_SIGNIFICANT_CHANGE_FILTER_INIT;

static fencepost_status read_monitor_options(void *structure) {
  fencepost_monitor *monitor = NULL;
  fencepost_status status = fencepost_monitor_create(NULL, structure, &monitor, NULL);
  fencepost_monitor_destroy(monitor);
  return status;
}

static fencepost_status add_with(const fencepost_condition_definition *options) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_status status = fencepost_monitor_add_circular_condition(monitor, "a", 0, 0, 100, options, NULL);
  fencepost_monitor_destroy(monitor);
  return status;
}

static fencepost_status read_condition_options(void *structure) { return add_with(structure); }

static fencepost_status read_transition_policy(void *structure) {
  fencepost_condition_definition options = FENCEPOST_CONDITION_DEFINITION_INIT;
  options.policy = structure;
  return add_with(&options);
}

static fencepost_status read_timing(void *structure) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_condition_definition circle = fencepost_circle("a", 0, 0, 100);
  circle.timing = structure;
  fencepost_status status = ON_OWN(monitor, add_one, circle, NULL);
  fencepost_monitor_destroy(monitor);
  return status;
}

static fencepost_status read_condition_definition(void *structure) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_status status = ON_OWN(monitor, fencepost_conditions_sync, structure, 1, NULL, NULL);
  fencepost_monitor_destroy(monitor);
  return status;
}

static fencepost_status read_fix_columns(void *structure) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_status status = fencepost_monitor_feed_columns(monitor, structure, 0, NULL, NULL);
  fencepost_monitor_destroy(monitor);
  return status;
}

static fencepost_status read_measured_columns(void *structure) {
  fencepost_conditions *table = NULL;
  CHECK_OK(fencepost_conditions_create(&table, NULL));
  const fencepost_condition_definition circle = fencepost_circle("a", 0, 0, 100);
  CHECK_OK(fencepost_conditions_add(table, &circle, 1, NULL));
  fencepost_status status = fencepost_conditions_probability(table, "a", structure, 0, 0.68, NULL, NULL);
  fencepost_conditions_destroy(table);
  return status;
}

static fencepost_status read_point_columns(void *structure) {
  fencepost_monitor *monitor = new_monitor(NULL);
  int64_t offset;
  size_t size;
  fencepost_status status =
      ON_OWN(monitor, fencepost_conditions_containing_columns, structure, 0, &offset, NULL, NULL, 0, &size, NULL);
  fencepost_monitor_destroy(monitor);
  return status;
}

static fencepost_status read_plan_options(void *structure) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_plan plan = FENCEPOST_PLAN_INIT;
  size_t count;
  fencepost_status status =
      fencepost_monitor_plan(monitor, 0, 0, 5, structure, NULL, 0, NULL, NULL, 0, &count, &plan, NULL);
  fencepost_monitor_destroy(monitor);
  return status;
}

static fencepost_status read_fix_selection(void *structure) {
  size_t index;
  uint32_t available;
  return fencepost_best_fix(NULL, 0, SECONDS(0), structure, &index, &available, NULL);
}

/* The filter refuses a fix without a position, so it writes nothing. */
static fencepost_status read_filter(void *structure) {
  fencepost_fix fix = {0, 0, -1, SECONDS(0)};
  uint32_t accepted;
  return fencepost_significant_change_accept(structure, &fix, &accepted, NULL);
}

static fencepost_status read_geometry(void *structure) {
  const double place = 0.1;
  double distance;
  return distances_to(fencepost_polygon(NULL, structure), &place, &place, 1, &distance, NULL);
}

static fencepost_status read_fleet_options(void *structure) {
  fencepost_fleet *fleet = NULL;
  fencepost_status status = fencepost_fleet_create(structure, &fleet, NULL);
  fencepost_fleet_destroy(fleet);
  return status;
}

static fencepost_status read_fleet_columns(void *structure) {
  fencepost_conditions *table = new_table();
  fencepost_fleet *fleet = new_fleet(table);
  fencepost_status status = fencepost_fleet_feed_columns(fleet, structure, 0, NULL, NULL);
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
  return status;
}

/* A smaller filter cannot store the last fix, so it would let every fix pass. */
enum {
  SMALLEST_FILTER = offsetof(fencepost_significant_change_filter, last) + sizeof(fencepost_fix)
};

/* The library refuses a definition without a radius and a polygon without vertices, so a smaller size cannot
   succeed. */
enum {
  SMALLEST_GEOMETRY = offsetof(fencepost_geometry, ring_offsets),
  SMALLEST_DEFINITION = offsetof(fencepost_condition_definition, buffer_m)
};

#define READER(name, smallest) {#name, &name, sizeof name, smallest, read_##name}
static const reader readers[] = {
    READER(monitor_options, 8),
    READER(condition_options, 8),
    READER(transition_policy, 8),
    READER(timing, 8),
    READER(fix_columns, 8),
    READER(point_columns, 8),
    READER(measured_columns, 8),
    READER(plan_options, 8),
    READER(fix_selection, 8),
    READER(filter, SMALLEST_FILTER),
    READER(condition_definition, SMALLEST_DEFINITION),
    READER(geometry, SMALLEST_GEOMETRY),
    READER(fleet_options, 8),
    READER(fleet_columns, sizeof fleet_columns),
};

/* Returns a structure of `size` bytes as a caller would pass it: a copy of INIT with `size` in struct_size; poison
   fills the memory behind the structure. */
static block caller(const void *init, size_t known, size_t size) {
  block memory;
  memset(&memory, POISON, sizeof memory);
  memcpy(memory.bytes, init, known < size ? known : size);
  uint32_t stated = (uint32_t)size;
  memcpy(memory.bytes, &stated, sizeof stated);
  return memory;
}

static void expect(const reader *reader, block *memory, fencepost_status expected) {
  uint32_t size;
  memcpy(&size, memory->bytes, sizeof size);
  block before = *memory;
  fencepost_status status = reader->call(memory);
  if (status != expected)
    FAIL("%s of %u bytes: %s, expected %s", reader->name, size, fencepost_status_name(status),
         fencepost_status_name(expected));
  if (memcmp(memory, &before, sizeof before) != 0) FAIL("%s of %u bytes was written to", reader->name, size);
}

static void older_readers(void) {
  for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
    for (size_t size = readers[i].smallest; size <= readers[i].size; size += 8) {
      block memory = caller(readers[i].init, readers[i].size, size);
      expect(&readers[i], &memory, FENCEPOST_OK);
    }
  }
}

static void newer_readers(void) {
  for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
    block memory = caller(readers[i].init, readers[i].size, readers[i].size + TAIL);
    memset(memory.bytes + readers[i].size, 0, TAIL);
    expect(&readers[i], &memory, FENCEPOST_OK);
    for (size_t at = 0; at < TAIL; at++) {
      memory.bytes[readers[i].size + at] = 0x80;
      expect(&readers[i], &memory, FENCEPOST_E_UNSUPPORTED);
      memory.bytes[readers[i].size + at] = 0;
    }
  }
}

static void no_sizes(void) {
  static const uint32_t senseless[] = {0, 1, 4, 7, 12, 4097, UINT32_MAX};
  for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
    for (size_t n = 0; n < sizeof senseless / sizeof senseless[0]; n++) {
      block memory = caller(readers[i].init, readers[i].size, readers[i].size);
      memcpy(memory.bytes, &senseless[n], sizeof senseless[n]);
      expect(&readers[i], &memory, FENCEPOST_E_INVALID_ARGUMENT);
    }
  }
}

/* A structure that the library writes, and a call that writes it. */
typedef struct writer {
  const char *name;
  size_t size;
  fencepost_status (*call)(fencepost_monitor *monitor, void *structure);
} writer;

static fencepost_status write_statistics(fencepost_monitor *monitor, void *structure) {
  return fencepost_monitor_statistics(monitor, structure, NULL);
}
static fencepost_status write_explanation(fencepost_monitor *monitor, void *structure) {
  return fencepost_monitor_explain(monitor, "exact", structure, NULL);
}
static fencepost_status write_plan(fencepost_monitor *monitor, void *structure) {
  size_t count;
  return fencepost_monitor_plan(monitor, 0, 0, 5, NULL, NULL, 0, NULL, NULL, 0, &count, structure, NULL);
}
static fencepost_status write_filter(fencepost_monitor *monitor, void *structure) {
  fencepost_fix fix = {1, 2, 5, SECONDS(0)};
  uint32_t accepted;
  (void)monitor;
  return fencepost_significant_change_accept(structure, &fix, &accepted, NULL);
}

static fencepost_status write_shape(fencepost_monitor *monitor, void *structure) {
  return ON_OWN(monitor, fencepost_conditions_describe, "exact", NULL, NULL, structure, NULL);
}

/* Creates a fleet for the call, so that the fleet's counters are the same each time. */
static fencepost_status write_of_fleet(void *structure,
                                       fencepost_status (*read)(fencepost_fleet *, fencepost_conditions *, void *)) {
  fencepost_conditions *table;
  fencepost_fleet *fleet = busy_fleet(&table);
  fencepost_status status = read(fleet, table, structure);
  fencepost_fleet_destroy(fleet);
  fencepost_conditions_destroy(table);
  return status;
}

static fencepost_status read_fleet_statistics(fencepost_fleet *fleet, fencepost_conditions *table, void *structure) {
  (void)table;
  return fencepost_fleet_statistics(fleet, structure, NULL);
}
static fencepost_status read_device_statistics(fencepost_fleet *fleet, fencepost_conditions *table, void *structure) {
  (void)table;
  return fencepost_fleet_device_statistics(fleet, 1, structure, NULL);
}
static fencepost_status read_version(fencepost_fleet *fleet, fencepost_conditions *table, void *structure) {
  (void)fleet;
  return fencepost_conditions_version(table, structure, NULL);
}

static fencepost_status write_fleet_statistics(fencepost_monitor *monitor, void *structure) {
  (void)monitor;
  return write_of_fleet(structure, read_fleet_statistics);
}
static fencepost_status write_device_statistics(fencepost_monitor *monitor, void *structure) {
  (void)monitor;
  return write_of_fleet(structure, read_device_statistics);
}
static fencepost_status write_version(fencepost_monitor *monitor, void *structure) {
  (void)monitor;
  return write_of_fleet(structure, read_version);
}

static const writer writers[] = {
    {"fleet_statistics", sizeof(fencepost_fleet_counters), write_fleet_statistics},
    {"device_statistics", sizeof(fencepost_device_statistics), write_device_statistics},
    {"conditions_version", sizeof(fencepost_table_version), write_version},
    {"statistics", sizeof(fencepost_statistics), write_statistics},
    {"explanation", sizeof(fencepost_explanation), write_explanation},
    {"plan", sizeof(fencepost_plan), write_plan},
    {"shape", sizeof(fencepost_shape), write_shape},
    {"significant_change_filter", sizeof(fencepost_significant_change_filter), write_filter},
};

/* For every size, the library writes a prefix of the full structure and changes no byte beyond it. */
static void writers_of_every_size(void) {
  fencepost_monitor *monitor = busy_monitor();
  for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
    int is_filter = writers[i].call == write_filter;
    block now;
    memset(&now, 0, sizeof now);
    if (is_filter) now = caller(&filter, sizeof filter, sizeof filter);
    uint32_t full = (uint32_t)writers[i].size;
    memcpy(now.bytes, &full, sizeof full);
    CHECK_OK(writers[i].call(monitor, &now));
    for (size_t size = is_filter ? SMALLEST_FILTER : 8; size <= writers[i].size + TAIL; size += 8) {
      block memory;
      memset(&memory, POISON, sizeof memory);
      if (is_filter) memory = caller(&filter, sizeof filter, size);
      /* The caller sets the memory for the parts of a rule and for the intervals of a timing. */
      if (writers[i].call == write_explanation) memory = caller(&explanation, sizeof explanation, size);
      if (writers[i].call == write_shape) memory = caller(&shape, sizeof shape, size);
      if (is_filter && size > sizeof filter) memset(memory.bytes + sizeof filter, 0, size - sizeof filter);
      uint32_t stated = (uint32_t)size;
      memcpy(memory.bytes, &stated, sizeof stated);
      block before = memory;
      CHECK_OK(writers[i].call(monitor, &memory));
      size_t known = size < writers[i].size ? size : writers[i].size;
      CHECK(memcmp(memory.bytes, &stated, sizeof stated) == 0);
      if (memcmp(memory.bytes + 4, now.bytes + 4, known - 4) != 0)
        FAIL("%s of %zu bytes: other values than of %zu", writers[i].name, size, writers[i].size);
      if (memcmp(memory.bytes + known, before.bytes + known, BLOCK - known) != 0)
        FAIL("%s of %zu bytes: written beyond", writers[i].name, size);
    }
  }
  fencepost_monitor_destroy(monitor);
}

static const ccase cases[] = {
    {"growth: older callers of every structure that is read", older_readers},
    {"growth: newer callers of every structure that is read", newer_readers},
    {"growth: sizes that no caller has", no_sizes},
    {"growth: structures that are written, of every size", writers_of_every_size},
};
AREA(area_growth);
