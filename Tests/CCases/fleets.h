/* The code that all fleet cases share. */
#ifndef FENCEPOST_FLEETS_H
#define FENCEPOST_FLEETS_H

#include "check.h"

/* Create an empty table, and a fleet over a table with default options. Never NULL. */
fencepost_conditions *new_table(void);
fencepost_fleet *new_fleet(fencepost_conditions *table);

/* Creates a fleet over a table. The other options are the given ones; NULL = the defaults. */
fencepost_status create_fleet(fencepost_conditions *table, const fencepost_options *options, fencepost_fleet **out,
                              fencepost_error *error);

/* Adds the circle (0, longitude, 1000 m) with the exact policy; it is assumed unsatisfied. */
void add_exact(fencepost_conditions *table, const char *identifier, double longitude, uint64_t tag);

/* Adds a device and returns its number. */
fencepost_device device_of(fencepost_fleet *fleet, const char *identifier);

/* Feeds a fix on the equator; returns the status. */
fencepost_status feed_device(fencepost_fleet *fleet, fencepost_device device, double longitude, int64_t time_us);

/* Polls one event; fails if no event is pending. */
fencepost_event next_fleet_event(fencepost_fleet *fleet);
/* Returns the event that a monitor for the event's device alone would deliver. */
fencepost_event as_of_monitor(const fencepost_event *event);
/* Writes an event as JSON with the identifier of its device; 8192 bytes always suffice. */
fencepost_status json_of_fleet_event(fencepost_fleet *fleet, const fencepost_event *event, char *json, size_t capacity);
/* Fails if an event is waiting. */
void expect_no_fleet_event(fencepost_fleet *fleet);

fencepost_fleet_counters fleet_statistics(fencepost_fleet *fleet);
fencepost_table_version version_of(fencepost_conditions *table);

/* Creates a table of two circles and a beacon, and a fleet that uses this table. The fleet has pending events and had
   three devices, one of which has been removed. */
fencepost_fleet *busy_fleet(fencepost_conditions **out_table);

#endif
