/* Rules: places whose states follow from the states of other places of the set. */
#include <stdlib.h>
#include "value.h"

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* Reads one identifier, and the semicolon after it; writes the identifier and a zero byte to *out. */
static bool read_part(const char **at, const char *end, char **out, fp_message *message) {
  const char *start = *at;
  char *begin = *out;
  while (start < end && is_space(*start)) start++;
  const char *next = start;
  if (start < end && *start == '"') {
    for (next++; next < end && (*next != '"' || (next + 1 < end && next[1] == '"')); next++) {
      next += *next == '"';
      *(*out)++ = *next;
    }
    if (next == end) return fp_fail(message, "a quotation mark is not closed");
    for (next++; next < end && is_space(*next);) next++;
    if (next < end && *next != ';') return fp_fail(message, "there is text after a closing quotation mark");
  } else {
    while (next < end && *next != ';') next++;
    const char *stop = next;
    while (stop > start && is_space(stop[-1])) stop--;
    if (memchr(start, '"', (size_t)(stop - start)) != NULL)
      return fp_fail(message, "a quotation mark is within an identifier; write \"a\"\"b\" for a\"b");
    memcpy(*out, start, (size_t)(stop - start));
    *out += stop - start;
  }
  if (*out == begin) return fp_fail(message, "an identifier is empty; semicolons separate identifiers");
  if (memchr(begin, 0, (size_t)(*out - begin)) != NULL) return fp_fail(message, "an identifier contains a zero byte");
  *(*out)++ = 0;
  *at = next < end ? next + 1 : end;
  return true;
}

bool fp_parts_read(const char *text, size_t size, const char ***out, size_t *out_count, fp_message *message) {
  size_t most = 1, count = 0;
  for (size_t i = 0; i < size; i++) most += text[i] == ';';
  /* The pointers, then the texts: an identifier and its zero byte are at most as long as its text and the semicolon. */
  const char **parts = malloc(most * sizeof *parts + size + 1);
  if (parts == NULL) return fp_no_memory(message);
  char *copy = (char *)(parts + most);
  for (const char *at = text, *end = text + size; at < end;) {
    parts[count++] = copy;
    if (!read_part(&at, end, &copy, message)) {
      free(parts);
      return false;
    }
  }
  *out = parts;
  *out_count = count;
  return true;
}

static int by_name(const void *name, const void *place) {
  return strcmp(name, (const char *)*(const uint8_t *const *)place + FP_PLACE);
}

bool fp_rule_is_complete(const fencepost_condition_definition *rule, const uint8_t *const *places, size_t count,
                         fp_message *message) {
  for (size_t i = 0; i < rule->part_count; i++)
    if (bsearch(rule->parts[i], places, count, sizeof *places, by_name) == NULL)
      return fp_fail(message,
                     "place \"%.260s\": its part \"%.260s\" is not in the set; add the parts of a rule to the same set",
                     rule->identifier, rule->parts[i]);
  return true;
}

const char *fp_event_decided_by(const fp_places *places, const fencepost_event *event) {
  if (places == NULL || event->decided_by == 0 || event->decided_by > fp_places_count(places)) return NULL;
  return fp_places_identifier(places, event->decided_by);
}
