#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "value.h"

bool fp_fail(fp_message *message, const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(message->text, sizeof message->text, format, values);
  va_end(values);
  message->cause = FP_INVALID;
  return false;
}

bool fp_no_memory(fp_message *message) {
  fp_fail(message, "out of memory");
  message->cause = FP_NO_MEMORY;
  return false;
}

bool fp_headroom(size_t bytes, fp_message *message) {
  void *volatile probe = malloc(bytes); /* volatile: otherwise a compiler may remove a malloc() whose memory is not
                                           used */
  if (probe == NULL) return fp_no_memory(message);
  free(probe);
  return true;
}

/* A key sets one option. The key has the option's group, the kind of its value, and the offset of its member in
   fp_options; a key of the kind PARTS has the form of the rule instead of the offset. */
typedef enum {
  SECONDS,
  METRES,
  NUMBER,
  WHOLE,
  WORD,
  INSTANT,
  INTERVALS,
  PARTS
} value_kind;
typedef struct key {
  const char *name;
  uint32_t group;
  value_kind kind;
  size_t offset;
  const char *words; /* for the kind WORD: the allowed words and their values, as in "standard=0 exact=1" */
} key;

#define IN(member) offsetof(fp_options, member)
static const key keys[] = {
    {"policy", FP_OPTION_POLICY, WORD, 0, "standard=0 exact=1 core_location=2"},
    {"entry_dwell", FP_OPTION_POLICY, SECONDS, IN(policy.entry_dwell_us), NULL},
    {"exit_dwell", FP_OPTION_POLICY, SECONDS, IN(policy.exit_dwell_us), NULL},
    {"entry_margin", FP_OPTION_POLICY, METRES, IN(policy.entry_margin_m), NULL},
    {"exit_margin", FP_OPTION_POLICY, METRES, IN(policy.exit_margin_m), NULL},
    {"exit_margin_limit", FP_OPTION_POLICY, METRES, IN(policy.exit_margin_limit_m), NULL},
    {"vertical_margin", FP_OPTION_POLICY, METRES, IN(policy.vertical_margin_m), NULL},
    {"accuracy_factor", FP_OPTION_POLICY, NUMBER, IN(policy.accuracy_factor), NULL},
    {"entry_probability", FP_OPTION_POLICY, NUMBER, IN(policy.entry_probability), NULL},
    {"exit_probability", FP_OPTION_POLICY, NUMBER, IN(policy.exit_probability), NULL},
    {"dwell_policy", FP_OPTION_POLICY, WORD, IN(policy.dwell_policy), "timer=0 evidence=1"},
    {"notify", FP_OPTION_POLICY, WORD, IN(policy.notify),
     "all=7 none=0 entry=2 exit=4 entry+exit=6 initial=1 initial+entry=3 initial+exit=5"},
    {"assuming", FP_OPTION_ASSUMING, WORD, IN(assuming), "unknown=0 satisfied=1 unsatisfied=2"},
    {"edges", FP_OPTION_SHAPE, WORD, IN(shape.edges), "geodesic=0 planar=1"},
    {"oriented", FP_OPTION_SHAPE, WORD, IN(shape.oriented), "false=0 true=1"},
    {"buffer", FP_OPTION_SHAPE, METRES, IN(shape.buffer_m), NULL},
    {"max_vertices", FP_OPTION_SHAPE, WHOLE, IN(shape.max_vertices), NULL},
    {"radius", FP_OPTION_RADIUS, METRES, IN(radius_m), NULL},
    {"gate", FP_OPTION_GATE, WORD, IN(gate), "false=0 true=1"},
    {"active", FP_OPTION_TIMING, INTERVALS, IN(timing.active), NULL},
    {"active_until", FP_OPTION_TIMING, INSTANT, IN(timing.active_until_us), NULL},
    {"absent_after", FP_OPTION_TIMING, SECONDS, IN(timing.absent_after_us), NULL},
    {"repeat_every", FP_OPTION_TIMING, SECONDS, IN(timing.repeat_every_us), NULL},
    {"repeat_limit", FP_OPTION_TIMING, WHOLE, IN(timing.repeat_limit), NULL},
    {"max_events", FP_OPTION_TIMING, WHOLE, IN(timing.max_events), NULL},
    {"altitude_min", FP_OPTION_BAND, METRES, IN(band.min_m), NULL},
    {"altitude_max", FP_OPTION_BAND, METRES, IN(band.max_m), NULL},
    {"altitude_min_reference", FP_OPTION_BAND, WORD, IN(band.of_min), "ellipsoid=1 mean_sea_level=2 ground=3"},
    {"altitude_max_reference", FP_OPTION_BAND, WORD, IN(band.of_max), "ellipsoid=1 mean_sea_level=2 ground=3"},
    {"all", FP_OPTION_RULE, PARTS, FENCEPOST_RULE_ALL, NULL},
    {"any", FP_OPTION_RULE, PARTS, FENCEPOST_RULE_ANY, NULL},
    {"none", FP_OPTION_RULE, PARTS, FENCEPOST_RULE_NONE, NULL},
    {"at_least", FP_OPTION_RULE, WHOLE, IN(rule.at_least), NULL},
    {"of", FP_OPTION_RULE, PARTS, FENCEPOST_RULE_AT_LEAST, NULL},
    {"path", FP_OPTION_PATH, WORD, IN(path), "fixes=0 geodesic=1"},
    {"max_gap", FP_OPTION_PATH, SECONDS, IN(max_gap_us), NULL},
    {"max_speed", FP_OPTION_PATH, NUMBER, IN(max_speed_mps), NULL},
    {"max_time_step", FP_OPTION_STEP, SECONDS, IN(max_time_step_us), NULL},
    {"plausible_speed", FP_OPTION_PLAUSIBILITY, NUMBER, IN(plausible_speed_mps), NULL},
    {"corroboration_count", FP_OPTION_PLAUSIBILITY, WHOLE, IN(corroboration_count), NULL},
    {"corroboration_time", FP_OPTION_PLAUSIBILITY, SECONDS, IN(corroboration_time_us), NULL},
    {"accuracy_confidence", FP_OPTION_CONFIDENCE, NUMBER, IN(accuracy_confidence), NULL},
    {"order", FP_OPTION_ORDER, WORD, IN(order), "add=0 exits_first=1"},
    {"invalid", FP_OPTION_INVALID, WORD, IN(skip_invalid), "refuse=0 skip=1"},
    {"time", FP_OPTION_TIME, WORD, IN(unit_us), "s=1000000 ms=1000 us=1"},
};
enum {
  KEY_COUNT = sizeof keys / sizeof *keys
};

/* The ranges of the keys whose numbers have other limits than the minimum 0. A limit belongs to its range, unless the
   limit is 0 or 0.5. */
static const struct {
  size_t offset;
  double least, most;
  const char *words;
} ranges[] = {
    {IN(policy.entry_probability), 0.5, 0.99999, "above 0.5 and at most 0.99999"},
    {IN(policy.exit_probability), 0.00001, 0.5, "at least 0.00001 and below 0.5"},
    {IN(shape.max_vertices), 1, 1000000, "a whole number from 1 to 1000000"},
    {IN(plausible_speed_mps), 0, INFINITY, "above 0 metres per second"},
    {IN(corroboration_count), 2, 1000, "a whole number from 2 to 1000"},
    {IN(accuracy_confidence), 0.01, 0.9999, "from 0.01 to 0.9999"},
    {IN(timing.repeat_limit), 1, 1000000, "a whole number from 1 to 1000000"},
    {IN(band.min_m), -1e9, 1e9, "from -1000000000 to 1000000000 metres"},
    {IN(band.max_m), -1e9, 1e9, "from -1000000000 to 1000000000 metres"},
    {IN(rule.at_least), 1, 1000, "a whole number from 1 to 1000"},
    {IN(timing.max_events), 1, UINT32_MAX, "a whole number from 1 to 4294967295"},
};

/* Finds "word=number" in a list. */
static bool word_value(const char *words, const char *word, size_t size, int64_t *out) {
  for (const char *at = words; at != NULL; at = strchr(at, ' ')) {
    at += *at == ' ';
    if (strncmp(at, word, size) == 0 && at[size] == '=') {
      *out = strtoll(at + size + 1, NULL, 10);
      return true;
    }
  }
  return false;
}

/* Converts a list of words for a message: "standard, exact, core_location". */
static void word_names(const char *words, char *out, size_t capacity) {
  size_t used = 0;
  bool number = false;
  for (; *words != 0 && used + 3 < capacity; words++) {
    if (*words == '=') number = true;
    if (*words == ' ') {
      number = false;
      out[used++] = ',';
    }
    if (!number) out[used++] = *words;
  }
  out[used] = 0;
}

static void set_policy(fp_options *out, int64_t preset) {
  static const fencepost_transition_policy presets[] = {FENCEPOST_TRANSITION_POLICY_STANDARD_INIT,
                                                        FENCEPOST_TRANSITION_POLICY_EXACT_INIT,
                                                        FENCEPOST_TRANSITION_POLICY_CORE_LOCATION_INIT};
  out->policy = presets[preset];
}

/* Reads a decimal number of at most 15 digits: exact, and independent of the locale, unlike strtod(). */
static bool decimal(const char *text, double *out) {
  static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  bool negative = *text == '-', point = false;
  int64_t digits = 0;
  int count = 0, places = 0;
  for (text += negative; *text != 0; text++) {
    if (*text == '.' && !point) {
      point = true;
      continue;
    }
    if (*text < '0' || *text > '9' || ++count > 15) return false;
    digits = digits * 10 + (*text - '0');
    places += point;
  }
  *out = (double)digits / powers[places];
  if (negative) *out = -*out;
  return count > 0;
}

/* Returns the range of a key in words if the number is outside the range, or NULL if it is inside or the key has no
   range. */
static const char *range_missed(const key *key, double number) {
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
    if (ranges[i].offset != key->offset) continue;
    bool is_limit = number == ranges[i].least || number == ranges[i].most;
    bool is_inside = is_limit ? number != 0 && number != 0.5 : number > ranges[i].least && number < ranges[i].most;
    return is_inside && (key->kind != WHOLE || number == floor(number)) ? NULL : ranges[i].words;
  }
  return NULL;
}

/* Reads one value. Writes the value into the member of `out` at the key's offset. */
static bool set(const key *key, const char *value, size_t size, fp_options *out, fp_message *message) {
  char *member = (char *)out + key->offset;
  char text[64];
  if (key->kind == WORD) {
    int64_t number = 0;
    if (!word_value(key->words, value, size, &number)) {
      char names[160];
      word_names(key->words, names, sizeof names);
      return fp_fail(message, "option %s: %.*s is not one of %s", key->name, (int)(size < 60 ? size : 60), value,
                     names);
    }
    if (key->offset == 0) set_policy(out, number);
    else if (key->offset == IN(unit_us)) out->unit_us = number;
    else *(uint32_t *)member = (uint32_t)number;
    return true;
  }
  if (key->kind == INTERVALS) {
    if (size == 0)
      return fp_fail(message, "option active is empty; must be intervals START/END, separated by semicolons");
    out->timing.active = value;
    out->timing.active_size = size;
    return true;
  }
  if (key->kind == PARTS) {
    if (size == 0)
      return fp_fail(message, "option %s is empty; must be identifiers of places, separated by semicolons", key->name);
    if (out->rule.parts != NULL) return fp_fail(message, "a rule has one of the options all, any, none and of");
    out->rule.parts = value;
    out->rule.parts_size = size;
    out->rule.form = (fencepost_rule_form)key->offset;
    return true;
  }
  if (key->kind == INSTANT) {
    fp_message why;
    return fp_time_read_zoned(value, size, (int64_t *)member, &why) ||
           fp_fail(message, "option %s: %.400s", key->name, why.text);
  }
  if (size == 0 || size >= sizeof text)
    return fp_fail(message, "option %s needs a number, as in %s=20", key->name, key->name);
  memcpy(text, value, size);
  text[size] = 0;
  double number;
  if (!decimal(text, &number))
    return fp_fail(message, "option %s: %s is not a number with at most 15 digits, as in 20 or 0.5", key->name, text);
  if (number < 0 && key->offset != IN(shape.buffer_m) && key->group != FP_OPTION_BAND)
    return fp_fail(message, "option %s: %s is negative; must be at least 0", key->name, text);
  const char *range = range_missed(key, number);
  if (range != NULL) return fp_fail(message, "option %s: %s is out of range; must be %s", key->name, text, range);
  if (key->kind == SECONDS) {
    if (number > 1e9) return fp_fail(message, "option %s: %s is outside 0 to 1e9 seconds", key->name, text);
    *(int64_t *)member = (int64_t)llround(number * 1e6);
  } else if (key->kind == WHOLE) {
    *(uint32_t *)member = (uint32_t)number;
  } else {
    *(double *)member = number;
  }
  return true;
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* Checks that a limit of altitude has a reference, and a reference a limit. */
static bool settle_limit(const bool *seen, size_t of_limit, size_t of_reference, const char *name,
                         fp_message *message) {
  bool has_limit = false, has_reference = false;
  for (size_t i = 0; i < KEY_COUNT; i++) {
    has_limit |= seen[i] && keys[i].offset == of_limit;
    has_reference |= seen[i] && keys[i].offset == of_reference;
  }
  if (has_limit && !has_reference)
    return fp_fail(message, "option %s_reference is missing: %s needs it; must be ellipsoid, mean_sea_level or ground",
                   name, name);
  return has_limit || !has_reference ||
         fp_fail(message, "option %s_reference needs the option %s, in metres", name, name);
}

/* Checks options that belong together. With probabilities, sets the accuracy factor to 0 unless the options name it. */
static bool settle(const bool *seen, fp_options *out, fp_message *message) {
  bool has_entry = out->policy.entry_probability != 0, has_exit = out->policy.exit_probability != 0;
  bool has_factor = false, has_corroboration = false, has_limit = false;
  for (size_t i = 0; i < KEY_COUNT; i++) {
    has_factor |= seen[i] && keys[i].offset == IN(policy.accuracy_factor);
    has_corroboration |= seen[i] && keys[i].group == FP_OPTION_PLAUSIBILITY;
    has_limit |= seen[i] && keys[i].offset == IN(timing.repeat_limit);
  }
  if (has_entry != has_exit)
    return fp_fail(message, "option %s is missing: entry_probability and exit_probability belong together; set both",
                   has_entry ? "exit_probability" : "entry_probability");
  if (has_entry && !has_factor) out->policy.accuracy_factor = 0;
  if (has_entry && out->policy.accuracy_factor != 0)
    return fp_fail(message,
                   "option accuracy_factor: %g must be 0 with entry_probability, which already uses the accuracy",
                   out->policy.accuracy_factor);
  if (has_corroboration && out->plausible_speed_mps == 0)
    return fp_fail(message, "options corroboration_count and corroboration_time need the option plausible_speed");
  if (out->policy.exit_margin_limit_m > 0 && out->policy.exit_margin_limit_m < out->policy.exit_margin_m)
    return fp_fail(message, "option exit_margin_limit: %g must be 0 or at least exit_margin, %g",
                   out->policy.exit_margin_limit_m, out->policy.exit_margin_m);
  if (out->timing.repeat_every_us != 0 && out->timing.repeat_every_us < 1000000)
    return fp_fail(message, "option repeat_every: must be at least 1 second");
  if (has_limit && out->timing.repeat_every_us == 0)
    return fp_fail(message, "option repeat_limit needs the option repeat_every");
  if (out->timing.active_until_us != INT64_MAX && out->timing.active == NULL)
    return fp_fail(message, "option active_until needs the option active, the intervals that are known");
  if (out->rule.at_least != 0 ? out->rule.parts == NULL || out->rule.form != FENCEPOST_RULE_AT_LEAST
                              : out->rule.parts != NULL && out->rule.form == FENCEPOST_RULE_AT_LEAST)
    return fp_fail(message, "options at_least and of belong together, as in at_least=2, of=a; b; c");
  if (!settle_limit(seen, IN(band.min_m), IN(band.of_min), "altitude_min", message) ||
      !settle_limit(seen, IN(band.max_m), IN(band.of_max), "altitude_max", message))
    return false;
  if (out->path == FENCEPOST_PATH_GEODESIC && out->max_gap_us < 1)
    return fp_fail(message,
                   "option path=geodesic needs max_gap, the longest time between fixes, from 1e-6 to 1e9 seconds");
  return true;
}

bool fp_options_read(const char *text, size_t size, uint32_t allowed, fp_options *out, fp_message *message) {
  *out = (fp_options){.assuming = FENCEPOST_STATE_UNSATISFIED, .unit_us = 1000000};
  out->shape.edges = FENCEPOST_EDGES_PLANAR;
  out->shape.max_vertices = 500000; /* as for files */
  out->timing.active_until_us = INT64_MAX;
  out->timing.repeat_limit = 1000;
  const fencepost_options defaults = FENCEPOST_MONITOR_OPTIONS_INIT;
  out->corroboration_time_us = defaults.corroboration_time_us;
  out->corroboration_count = defaults.corroboration_count;
  out->accuracy_confidence = defaults.accuracy_confidence;
  set_policy(out, 0);
  bool seen[KEY_COUNT] = {false};
  for (size_t at = 0; at < size;) {
    if (is_space(text[at]) || text[at] == ',') {
      at++;
      continue;
    }
    size_t end = at, equals = SIZE_MAX;
    bool quoted = false; /* the identifier of a part may contain commas */
    while (end < size && (quoted || text[end] != ',')) {
      if (text[end] == '"') quoted = !quoted;
      if (text[end] == '=' && equals == SIZE_MAX) equals = end;
      end++;
    }
    size_t stop = end, name_end = equals;
    while (stop > at && is_space(text[stop - 1])) stop--;
    if (equals == SIZE_MAX)
      return fp_fail(message, "options: \"%.*s\" is not key=value; separate options by commas",
                     (int)(stop - at < 60 ? stop - at : 60), text + at);
    while (name_end > at && is_space(text[name_end - 1])) name_end--;
    size_t value = equals + 1;
    while (value < stop && is_space(text[value])) value++;
    const key *found = NULL;
    for (size_t i = 0; i < KEY_COUNT; i++)
      if (strlen(keys[i].name) == name_end - at && memcmp(keys[i].name, text + at, name_end - at) == 0) {
        if (seen[i]) return fp_fail(message, "option %s is repeated", keys[i].name);
        if (strcmp(keys[i].name, "policy") == 0 && (out->given & FP_OPTION_POLICY))
          return fp_fail(message, "option policy must come before the options that change parts of it");
        seen[i] = true;
        found = &keys[i];
      }
    if (found == NULL || !(found->group & allowed)) {
      char names[760] = "";
      size_t used = 0;
      for (size_t i = 0; i < KEY_COUNT && used < sizeof names; i++)
        if (keys[i].group & allowed)
          used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", keys[i].name);
      return fp_fail(message, "options: unknown option %.*s; the accepted options are %s",
                     (int)(name_end - at < 40 ? name_end - at : 40), text + at, names);
    }
    if (!set(found, text + value, stop > value ? stop - value : 0, out, message)) return false;
    out->given |= found->group;
    at = end;
  }
  return settle(seen, out, message);
}
