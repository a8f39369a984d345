/* Attacks a store at each file operation in turn: the process ends, the power fails, the disk fails or is full, copies
   are torn, or bits flip. The state of the reopened store is compared with the states that a monitor in memory has
   after each call.

     store_faults COMMAND FOLDER COUNT [GOLDEN]

   Random choices come from a seed that is printed with each failure. */
#include "attacks.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  void (*run)(long count);
} commands[] = {
    {"kill", attack_kill},
    {"power", attack_power},
    {"parts", attack_parts},
    {"torn", attack_torn},
    {"fail", attack_failing},
    {"flips", attack_flips},
    {"migrate", attack_migrate},
    {"cost", attack_cost},
    {"small", attack_small},
    {"race", attack_race},
    {"readonly", attack_readonly},
    {"million", attack_million},
    {"meddling", attack_meddling},
    {"scarce", attack_scarce},
    {"links", attack_links},
    {"open", open_million},
    {"fleet-kill", attack_fleet_kill},
    {"fleet-power", attack_fleet_power},
    {"fleet-torn", attack_fleet_torn},
    {"fleet-fail", attack_fleet_failing},
    {"fleet-flips", attack_fleet_flips},
    {"fleet-parts", attack_fleet_parts},
};

const char *golden;

int main(int arguments, char **values) {
  if (arguments < 4) return 2;
  folder = values[2];
  golden = values[4];
  const char *given = getenv("FENCEPOST_SEED");
  uint64_t seed = given ? strtoull(given, NULL, 10) : 20261122;
  random_begin(seed);
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    if (strcmp(values[1], commands[i].name) != 0) continue;
    commands[i].run(atol(values[3]));
    if (failures) printf("%s: %d failures, seed %llu\n", values[1], failures, (unsigned long long)seed);
    return failures != 0;
  }
  return 2;
}
