/* Changes one condition of a table. */
#include "native.h"

PyObject *native_put_one(native_call *call, const fencepost_condition_definition *definition, int ensure) {
  fencepost_conditions *table = native_conditions(call->self);
  fencepost_sync_result result = {1, 0, 0, 0};
  fencepost_status status = ensure ? fencepost_conditions_ensure(table, definition, 1, &result, &call->error)
                                   : fencepost_conditions_add(table, definition, 1, &call->error);
  if (native_end(call, status) < 0) return NULL;
  return PyBool_FromLong(result.added + result.replaced != 0);
}
