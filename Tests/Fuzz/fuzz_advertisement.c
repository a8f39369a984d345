/* Fuzzes fencepost_beacon_parse_advertisement with arbitrary bytes, with and without a company identifier. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  reader in = {data, size};
  int32_t company = (int32_t)take16(&in);
  if (company & 1) company = company == 0xffff ? -2 : -1;
  uint8_t *payload = exact_copy(in.data, in.size);
  fencepost_beacon_advertisement found, again, untouched;
  memset(&found, 0x5a, sizeof found);
  untouched = again = found;
  fencepost_error error = FENCEPOST_ERROR_INIT;
  fencepost_status status = fencepost_beacon_parse_advertisement(payload, in.size, company, -60, &found, &error);
  require_detail(status, &error);
  if (status != FENCEPOST_OK) {
    REQUIRE(status == FENCEPOST_E_INVALID_ARGUMENT);
    REQUIRE(error.position <= in.size);
    REQUIRE(memcmp(&found, &untouched, sizeof found) == 0);
  } else {
    REQUIRE(found.kind == FENCEPOST_BEACON_IBEACON || found.kind == FENCEPOST_BEACON_ALTBEACON);
    REQUIRE(found.measured_power_dbm >= -128 && found.measured_power_dbm <= 127);
    REQUIRE(found.company_id <= 65535 && found.manufacturer_reserved <= 255 && found.sighting.rssi_dbm == -60);
    REQUIRE(found.kind != FENCEPOST_BEACON_IBEACON || (found.company_id == 0x4c && found.manufacturer_reserved == 0));
    REQUIRE(company < 0 || found.company_id == (uint32_t)company);
    /* If the result is encoded again as manufacturer data, it is decoded to the same beacon. */
    uint8_t data_alone[26] = {(uint8_t)found.company_id, (uint8_t)(found.company_id >> 8), 0x02, 0x15};
    if (found.kind == FENCEPOST_BEACON_ALTBEACON) data_alone[2] = 0xbe, data_alone[3] = 0xac;
    memcpy(data_alone + 4, found.sighting.uuid, 16);
    data_alone[20] = (uint8_t)(found.sighting.major >> 8), data_alone[21] = (uint8_t)found.sighting.major;
    data_alone[22] = (uint8_t)(found.sighting.minor >> 8), data_alone[23] = (uint8_t)found.sighting.minor;
    data_alone[24] = (uint8_t)found.measured_power_dbm;
    data_alone[25] = (uint8_t)found.manufacturer_reserved;
    size_t length = found.kind == FENCEPOST_BEACON_IBEACON ? 25 : 26;
    REQUIRE(fencepost_beacon_parse_advertisement(data_alone, length, -1, -60, &again, NULL) == FENCEPOST_OK);
    REQUIRE(memcmp(&found, &again, sizeof found) == 0);
  }
  free(payload);
  return 0;
}
