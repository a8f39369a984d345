#include "check.h"

/* This advertisement has the beacon e2c56db5-dffb-48d2-b060-d0f5a71096e0, major 1, minor 258, -59 dBm at 1 m: 25 bytes,
   starting with the company identifier. */
#define IBEACON                                                                                                     \
  0x4c, 0x00, 0x02, 0x15, 0xe2, 0xc5, 0x6d, 0xb5, 0xdf, 0xfb, 0x48, 0xd2, 0xb0, 0x60, 0xd0, 0xf5, 0xa7, 0x10, 0x96, \
      0xe0, 0x00, 0x01, 0x01, 0x02, 0xc5
/* These 26 bytes advertise the same beacon as IBEACON in the AltBeacon format, with company 0x0118 and 9 as the last
   byte. */
#define ALTBEACON                                                                                                   \
  0x18, 0x01, 0xbe, 0xac, 0xe2, 0xc5, 0x6d, 0xb5, 0xdf, 0xfb, 0x48, 0xd2, 0xb0, 0x60, 0xd0, 0xf5, 0xa7, 0x10, 0x96, \
      0xe0, 0x00, 0x01, 0x01, 0x02, 0xc5, 0x09
#define FLAGS 0x02, 0x01, 0x06

static void expect_beacon(const uint8_t *payload, size_t size, int32_t company_id, fencepost_beacon_kind kind) {
  fencepost_beacon_advertisement found;
  memset(&found, 0x5a, sizeof found);
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = fencepost_beacon_parse_advertisement(payload, size, company_id, -70, &found, &error);
  if (status != FENCEPOST_OK) FAIL("%zu bytes were refused: %s", size, error.message);
  CHECK(memcmp(found.sighting.uuid, beacon_uuid, 16) == 0);
  CHECK_INT(found.sighting.major, 1);
  CHECK_INT(found.sighting.minor, 258);
  CHECK_INT(found.sighting.rssi_dbm, -70);
  CHECK_INT(found.kind, kind);
  CHECK_INT(found.measured_power_dbm, -59);
  CHECK_INT(found.company_id, kind == FENCEPOST_BEACON_IBEACON ? 0x004c : 0x0118);
  CHECK_INT(found.manufacturer_reserved, kind == FENCEPOST_BEACON_IBEACON ? 0 : 9);
}

static void decoded(void) {
  static const uint8_t apple[] = {IBEACON}, other[] = {ALTBEACON};
  static const uint8_t record[] = {FLAGS, 0x1a, 0xff, IBEACON}, padded[] = {0x1b, 0xff, ALTBEACON, 0, 0, 0, 0, 0x07};
  static const uint8_t second[] = {FLAGS, 0x03, 0xff, 0x4c, 0x00, 0x04,    0xff,
                                   0x4c,  0x00, 0x10, 0x1a, 0xff, IBEACON, 0xe4};
  expect_beacon(apple, sizeof apple, -1, FENCEPOST_BEACON_IBEACON);
  expect_beacon(apple + 2, sizeof apple - 2, 0x004c, FENCEPOST_BEACON_IBEACON);
  expect_beacon(other, sizeof other, -1, FENCEPOST_BEACON_ALTBEACON);
  expect_beacon(other + 2, sizeof other - 2, 0x0118, FENCEPOST_BEACON_ALTBEACON);
  expect_beacon(record, sizeof record, -1, FENCEPOST_BEACON_IBEACON);
  expect_beacon(padded, sizeof padded, -1, FENCEPOST_BEACON_ALTBEACON);
  expect_beacon(second, sizeof second, -1, FENCEPOST_BEACON_IBEACON);
}

static void expect_refused(const uint8_t *payload, size_t size, int32_t company_id, uint64_t position,
                           const char *part) {
  fencepost_beacon_advertisement found, untouched;
  memset(&found, 0x5a, sizeof found);
  memset(&untouched, 0x5a, sizeof untouched);
  fencepost_error error = FENCEPOST_ERROR_INIT;
  CHECK_STATUS(fencepost_beacon_parse_advertisement(payload, size, company_id, -70, &found, &error),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK_CONTAINS(error.message, part);
  CHECK_INT(error.position, position);
  CHECK(memcmp(&found, &untouched, sizeof found) == 0);
}

static void refused(void) {
  static const uint8_t apple[] = {IBEACON, 0}, other[] = {ALTBEACON, 0};
  static const uint8_t truncated[] = {FLAGS, 0x1a, 0xff, 0x4c, 0x00, 0x02, 0x15, 0xe2};
  static const uint8_t longer[] = {FLAGS, 0x1b, 0xff, IBEACON, 0};
  static const uint8_t eddystone[] = {FLAGS, 0x03, 0x03, 0xaa, 0xfe, 0x05, 0x16, 0xaa, 0xfe, 0x00, 0xe7};
  static const uint8_t nearby[] = {FLAGS, 0x05, 0xff, 0x4c, 0x00, 0x10, 0x05}, bare[] = {0x02, 0xff, 0x4c};
  expect_refused(NULL, 0, -1, 0, "empty");
  expect_refused(truncated, sizeof truncated, -1, 3, "26 bytes begins, but 6 are left");
  expect_refused(longer, sizeof longer, -1, 7, "iBeacon of 24 bytes after its company; must be 23");
  expect_refused(eddystone, sizeof eddystone, -1, 0, "0x01, 0x03, 0x16");
  expect_refused(nearby, sizeof nearby, -1, 0, "0x01, 0xff");
  expect_refused(bare, sizeof bare, -1, 0, "company identifier needs 2");
  expect_refused(apple + 2, 23, 0x0015, 0, "company 0x0015");
  expect_refused(apple + 2, 22, 0x004c, 0, "must be 23");
  expect_refused(apple + 2, 24, 0x004c, 0, "must be 23");
  expect_refused(other + 2, 25, 0x0118, 0, "must be 24");
  expect_refused(apple, 0, 0x004c, 0, "begins with be ac");
  expect_refused(apple, 1, 0x004c, 0, "begins with be ac");
  expect_refused(apple, sizeof apple - 1, 65536, 0, "company_id is 65536");
  expect_refused(apple, sizeof apple - 1, -2, 0, "company_id is -2");
  expect_refused(apple, SIZE_MAX, -1, 0, "payload");
  fencepost_beacon_advertisement found;
  CHECK_STATUS(fencepost_beacon_parse_advertisement(NULL, 1, -1, 0, &found, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(fencepost_beacon_parse_advertisement(apple, 25, -1, 0, NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
}

/* The decoded identity matches a condition. */
static void fed(void) {
  static const uint8_t record[] = {FLAGS, 0x1a, 0xff, IBEACON};
  fencepost_monitor *monitor = new_monitor(NULL);
  CHECK_OK(fencepost_monitor_add_beacon_condition(monitor, "desk", beacon_uuid, 1, 258, NULL, NULL));
  fencepost_beacon_advertisement found;
  CHECK_OK(fencepost_beacon_parse_advertisement(record, sizeof record, -1, INT32_MIN, &found, NULL));
  CHECK_OK(fencepost_monitor_feed_sightings(monitor, &found.sighting, 1, T0, NULL));
  fencepost_event event = next_event(monitor);
  CHECK_TEXT(event.identifier, "desk");
  CHECK_INT(event.state, FENCEPOST_STATE_SATISFIED);
  fencepost_monitor_destroy(monitor);
}

static const ccase cases[] = {
    {"beacon_parse_advertisement: AD structures and manufacturer data", decoded},
    {"beacon_parse_advertisement: what is refused, with its place", refused},
    {"beacon_parse_advertisement: the sighting can be fed", fed},
};
AREA(area_beacons);
