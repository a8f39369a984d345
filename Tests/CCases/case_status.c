#include <ctype.h>

#include "check.h"

static void is_one_sentence(const char *text) {
  CHECK(text != NULL && text[0] != 0);
  for (const char *at = text; *at; at++) CHECK(isprint((unsigned char)*at));
}

static void names_are_pinned(void) {
  static const struct {
    fencepost_status status;
    const char *name;
  } expected[] = {{0, "ok"},          {1, "null_argument"},   {2, "invalid_argument"}, {3, "buffer_too_small"},
                  {4, "unsupported"}, {20, "invalid_name"},   {21, "monitor_in_use"},  {22, "consumer_already_active"},
                  {40, "not_found"},  {41, "no_such_device"}, {60, "late_input"},      {61, "queue_full"},
                  {120, "internal"}};
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    CHECK_TEXT(fencepost_status_name(expected[i].status), expected[i].name);
    is_one_sentence(fencepost_status_message(expected[i].status));
    for (size_t j = 0; j < i; j++)
      CHECK(strcmp(fencepost_status_message(expected[i].status), fencepost_status_message(expected[j].status)) != 0);
  }
}

static void names_are_total(void) {
  for (fencepost_status status = -300; status <= 300; status++) {
    is_one_sentence(fencepost_status_name(status));
    is_one_sentence(fencepost_status_message(status));
  }
  CHECK_TEXT(fencepost_status_name(5), "unknown_status");
  CHECK_TEXT(fencepost_status_name(INT32_MAX), "unknown_status");
  CHECK_TEXT(fencepost_status_name(INT32_MIN), "unknown_status");
  is_one_sentence(fencepost_status_message(INT32_MAX));
  is_one_sentence(fencepost_status_message(INT32_MIN));
}

static void texts_are_static(void) {
  CHECK(fencepost_status_name(1) == fencepost_status_name(1));
  CHECK(fencepost_status_message(1) == fencepost_status_message(1));
  CHECK(fencepost_version_string() == fencepost_version_string());
}

static void version_is_that_of_the_header(void) {
  char expected[32];
  snprintf(expected, sizeof expected, "%d.%d.%d", FENCEPOST_VERSION_MAJOR, FENCEPOST_VERSION_MINOR,
           FENCEPOST_VERSION_PATCH);
  CHECK_TEXT(fencepost_version_string(), expected);
}

static void reason_names(void) {
  static const char *const expected[] = {"unknown_reason", "unmonitored", "suspended",     "scanner_off", "no_fix_yet",
                                         "too_coarse",     "dwelling",    "within_margin", "inside",      "outside",
                                         "not_seen_yet",   "seen",        "absent",        "uncertain",   "inactive",
                                         "no_height",      "parts",       "unknown_reason"};
  for (int i = 0; i < 18; i++) CHECK_TEXT(fencepost_reason_name(i), expected[i]);
  CHECK_TEXT(fencepost_reason_name(-1), "unknown_reason");
  CHECK_TEXT(fencepost_reason_name(INT32_MAX), "unknown_reason");
  CHECK_TEXT(fencepost_reason_name(INT32_MIN), "unknown_reason");
}

static const ccase cases[] = {
    {"status: every number has its name and its own sentence", names_are_pinned},
    {"status: name and message are total over all numbers", names_are_total},
    {"status: texts are static", texts_are_static},
    {"version: the library's is the header's", version_is_that_of_the_header},
    {"reason_name: pinned and total", reason_names},
};
AREA(area_status);
