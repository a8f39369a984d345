#include "check.h"

/* A message is one line, terminated, and valid UTF-8. */
static void is_a_message(const fencepost_error *error) {
  const unsigned char *at = (const unsigned char *)error->message;
  size_t length = strnlen(error->message, sizeof error->message);
  CHECK(length > 0 && length < sizeof error->message);
  for (size_t i = 0; i < length;) {
    size_t follow = at[i] < 0x80 ? 0 : at[i] >= 0xf0 ? 3 : at[i] >= 0xe0 ? 2 : 1;
    CHECK(at[i] >= 0x20 && (at[i] < 0x80 || at[i] >= 0xc2));
    CHECK(i + follow < length);
    for (size_t j = 1; j <= follow; j++) CHECK((at[i + j] & 0xc0) == 0x80);
    i += 1 + follow;
  }
}

static void untouched_on_success(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_error error, before;
  memset(&error, 0x5a, sizeof error);
  error.struct_size = sizeof error;
  before = error;
  CHECK_OK(fencepost_monitor_advance(monitor, SECONDS(0), &error));
  CHECK(memcmp(&error, &before, sizeof error) == 0);
  fencepost_monitor_destroy(monitor);
}

static void overwritten_on_failure(void) {
  fencepost_monitor *monitor = busy_monitor();
  fencepost_error error;
  memset(&error, 0x5a, sizeof error);
  error.struct_size = sizeof error;
  CHECK_STATUS(fencepost_monitor_advance(monitor, SECONDS(0), &error), FENCEPOST_E_LATE_INPUT);
  CHECK_INT(error.status, FENCEPOST_E_LATE_INPUT);
  CHECK_INT(error.position, 0);
  is_a_message(&error);
  fencepost_monitor_destroy(monitor);
}

/* The names make messages longer than the buffer, with characters of 1 to 4 bytes at every alignment. */
static void cut_at_a_character(void) {
  fencepost_monitor *monitor = busy_monitor();
  static const char *const characters[] = {"x", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
  for (size_t width = 1; width <= 4; width++) {
    for (size_t shift = 0; shift < 4; shift++) {
      char identifier[257];
      size_t length = shift;
      memset(identifier, 'a', shift);
      while (length + width <= 256) {
        memcpy(identifier + length, characters[width - 1], width);
        length += width;
      }
      identifier[length] = 0;
      fencepost_condition condition;
      fencepost_error error = FENCEPOST_ERROR_INIT;
      memset(error.message, '#', sizeof error.message);
      CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_describe, identifier, &condition, NULL, NULL, &error),
                   FENCEPOST_E_NOT_FOUND);
      is_a_message(&error);
      CHECK(strlen(error.message) >= sizeof error.message - 8);
    }
  }
  fencepost_monitor_destroy(monitor);
}

static void control_characters(void) {
  fencepost_monitor *monitor = busy_monitor();
  fencepost_condition condition;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_describe, "a\nb\rc\td\x01", &condition, NULL, NULL, &error),
               FENCEPOST_E_NOT_FOUND);
  is_a_message(&error);
  uint8_t uuid[16];
  CHECK_STATUS(fencepost_uuid_parse("line\nfeed", uuid, &error), FENCEPOST_E_INVALID_ARGUMENT);
  is_a_message(&error);
  fencepost_monitor *none;
  CHECK_STATUS(fencepost_monitor_create("line\nfeed\xff\xfe", NULL, &none, &error), FENCEPOST_E_INVALID_NAME);
  is_a_message(&error);
  fencepost_monitor_destroy(monitor);
}

/* These characters end a line in other programs: C1 controls (among them U+0085), U+2028 and U+2029. */
static void separators_of_lines(void) {
  fencepost_monitor *monitor = new_monitor(NULL);
  fencepost_condition condition;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  CHECK_STATUS(ON_OWN(monitor, fencepost_conditions_describe,
                      "a\xc2\x85"
                      "b\xe2\x80\xa8"
                      "c\xe2\x80\xa9"
                      "d\x7f"
                      "e\xc2\x9b"
                      "f\xc2\xa0\xe2\x80\xa7",
                      &condition, NULL, NULL, &error),
               FENCEPOST_E_NOT_FOUND);
  CHECK_TEXT(error.message, "no condition has the identifier \"a b c d e f\xc2\xa0\xe2\x80\xa7\"");
  fencepost_monitor_destroy(monitor);
}

/* If a message is too long, its middle is left out, so that a long path hides neither what failed nor why. */
static void long_paths(void) {
  char path[1200];
  memset(path, 'p', sizeof path);
  for (size_t i = 0; i < sizeof path; i += 100) path[i] = '/';
  path[sizeof path - 1] = 0;
  fencepost_options options = FENCEPOST_MONITOR_OPTIONS_INIT;
  options.store_directory = path;
  fencepost_monitor *none;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  CHECK_STATUS(fencepost_monitor_create("m", &options, &none, &error), FENCEPOST_E_STORE_UNAVAILABLE);
  is_a_message(&error);
  CHECK_CONTAINS(error.message, "/pppp");
  CHECK_CONTAINS(error.message, "pp \xe2\x80\xa6 ");
  CHECK(strlen(error.message) > 240);
  const char *end = error.message + strlen(error.message) - 1;
  CHECK(*end != 'p');
}

/* Passes unusual values of struct_size: a value from uninitialised memory, 0, and the size of a newer caller's
   structure. The library must not write beyond the end of the structure. */
static void any_struct_size(void) {
  static const uint32_t sizes[] = {0, 1, 4, 8, 271, 272, 273, 4096, 0x5a5a5a5a, 0x80000000, UINT32_MAX};
  fencepost_monitor *monitor = busy_monitor();
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    struct {
      fencepost_error error;
      unsigned char behind[64];
    } held;
    memset(&held, 0x5a, sizeof held);
    held.error.struct_size = sizes[i];
    CHECK_STATUS(fencepost_monitor_advance(monitor, SECONDS(0), &held.error), FENCEPOST_E_LATE_INPUT);
    CHECK_INT(held.error.struct_size, sizes[i]);
    CHECK_INT(held.error.status, FENCEPOST_E_LATE_INPUT);
    CHECK_INT(held.error.position, 0);
    is_a_message(&held.error);
    for (size_t at = 0; at < sizeof held.behind; at++) CHECK_INT(held.behind[at], 0x5a);
  }
  fencepost_monitor_destroy(monitor);
}

static const ccase cases[] = {
    {"error: unchanged when the call succeeds", untouched_on_success},
    {"error: overwritten when it fails", overwritten_on_failure},
    {"error: a long message is cut at a character and terminated", cut_at_a_character},
    {"error: texts of the caller do not break the line", control_characters},
    {"errors: separators of lines become blanks", separators_of_lines},
    {"errors: long paths", long_paths},
    {"errors: any struct_size", any_struct_size},
};
AREA(area_errors);
