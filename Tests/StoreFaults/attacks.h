/* Declares the attacks; each attack has a file of its own. Each attack takes a repeat count. */
#ifndef ATTACKS_H
#define ATTACKS_H

void attack_kill(long count);
void attack_power(long count);
void attack_parts(long count);
void attack_torn(long count);
void attack_failing(long count);
void attack_flips(long count);
/* Needs `golden`. */
void attack_migrate(long count);
void attack_cost(long count);
void attack_small(long count);
void attack_race(long count);
void attack_readonly(long count);
void attack_links(long count);
void attack_scarce(long count);
void attack_meddling(long count);
void attack_fleet_kill(long count);
void attack_fleet_power(long count);
void attack_fleet_torn(long count);
void attack_fleet_failing(long count);
void attack_fleet_flips(long count);
void attack_fleet_parts(long count);
void attack_million(long count);
/* Runs in a separate process as the second part of `attack_million`: opens the store that the first part left. */
void open_million(long count);

/* The folder with the stores that version 0.1 wrote. */
extern const char *golden;

#endif
