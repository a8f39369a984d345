#include <string.h>
#include "tables.h"

int fp_code(const fp_message *message) {
  return message->cause == FP_NO_MEMORY   ? SQLITE_NOMEM
         : message->cause == FP_CANCELLED ? SQLITE_INTERRUPT
                                          : SQLITE_ERROR;
}

int fp_table_fail(sqlite3_vtab *table, const fp_message *message) {
  fp_table_refuse(table, message->text);
  return fp_code(message);
}

int fp_table_refuse(sqlite3_vtab *table, const char *why) {
  const fp_table *own = (const fp_table *)table;
  sqlite3_free(table->zErrMsg);
  table->zErrMsg = sqlite3_mprintf("%s: %s", own->function->name, why);
  return SQLITE_ERROR;
}

int fp_open_cursor(size_t size, sqlite3_vtab_cursor **out) {
  sqlite3_vtab_cursor *cursor = sqlite3_malloc64(size);
  if (cursor == NULL) return SQLITE_NOMEM;
  memset(cursor, 0, size);
  *out = cursor;
  return SQLITE_OK;
}

int fp_table_connect(sqlite3 *db, void *function, int argc, const char *const *argv, sqlite3_vtab **out, char **error) {
  (void)argc, (void)argv, (void)error;
  int code = sqlite3_declare_vtab(db, ((const fp_function *)function)->schema);
  if (code != SQLITE_OK) return code;
  if (!((const fp_function *)function)->runs_query) sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
  fp_table *table = sqlite3_malloc64(sizeof *table);
  if (table == NULL) return SQLITE_NOMEM;
  memset(table, 0, sizeof *table);
  table->db = db;
  table->function = function;
  *out = &table->base;
  return SQLITE_OK;
}

int fp_table_disconnect(sqlite3_vtab *table) {
  sqlite3_free(table);
  return SQLITE_OK;
}

int fp_table_best_index(sqlite3_vtab *table, sqlite3_index_info *info) {
  const fp_function *function = ((const fp_table *)table)->function;
  int at[8], there = 0, unusable = 0, next = 1;
  for (int i = 0; i < 8; i++) at[i] = -1;
  for (int i = 0; i < info->nConstraint; i++) {
    int argument = info->aConstraint[i].iColumn - function->columns;
    if (argument < 0 || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (!info->aConstraint[i].usable) unusable |= 1 << argument;
    else if (at[argument] < 0) at[argument] = i, there |= 1 << argument;
  }
  /* If an argument depends on a table further right in the join, make SQLite try another join order. */
  if (unusable & ~there) return SQLITE_CONSTRAINT;
  int required = (1 << function->required) - 1;
  if ((there & required) != required) {
    char text[80];
    sqlite3_snprintf(sizeof text, text, "takes %d to %d arguments", function->required, function->arguments);
    return fp_table_refuse(table, text);
  }
  for (int i = 0; i < function->arguments; i++)
    if (at[i] >= 0) {
      info->aConstraintUsage[at[i]].argvIndex = next++;
      info->aConstraintUsage[at[i]].omit = 1;
    }
  info->idxNum = there;
  info->estimatedCost = 10;
  info->estimatedRows = 4;
  return SQLITE_OK;
}
