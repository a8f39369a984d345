#include "check.h"

static void uuid_parse(void) {
  uint8_t uuid[17];
  memset(uuid, 0x5a, sizeof uuid);
  CHECK_OK(fencepost_uuid_parse("e2c56db5-dffb-48d2-b060-d0f5a71096e0", uuid, NULL));
  CHECK(memcmp(uuid, beacon_uuid, 16) == 0);
  CHECK(uuid[16] == 0x5a);
  memset(uuid, 0, sizeof uuid);
  CHECK_OK(fencepost_uuid_parse("E2C56DB5-DFFB-48D2-b060-D0F5A71096E0", uuid, NULL));
  CHECK(memcmp(uuid, beacon_uuid, 16) == 0);
}

static void uuid_refused(void) {
  static const char *const bad[] = {"",
                                    "e2c56db5",
                                    "e2c56db5dffb48d2b060d0f5a71096e0",
                                    "{e2c56db5-dffb-48d2-b060-d0f5a71096e0}",
                                    "e2c56db5-dffb-48d2-b060-d0f5a71096e",
                                    "e2c56db5-dffb-48d2-b060-d0f5a71096e00",
                                    "e2c56db5-dffb-48d2-b060-d0f5a71096eg",
                                    "e2c56db-5dffb-48d2-b060-d0f5a71096e0",
                                    " e2c56db5-dffb-48d2-b060-d0f5a71096e0",
                                    "e2c56db5-dffb-48d2-b060-d0f5a71096e0\n",
                                    "e2c56db5_dffb_48d2_b060_d0f5a71096e0",
                                    "+2c56db5-dffb-48d2-b060-d0f5a71096e0",
                                    "\xff\xff",
                                    "\xef\xbc\x90"};
  uint8_t uuid[16], before[16];
  memset(uuid, 0x5a, sizeof uuid);
  memcpy(before, uuid, sizeof uuid);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    fencepost_error error = FENCEPOST_ERROR_INIT;
    CHECK_STATUS(fencepost_uuid_parse(bad[i], uuid, &error), FENCEPOST_E_INVALID_ARGUMENT);
    CHECK_CONTAINS(error.message, "UUID");
    CHECK(memcmp(uuid, before, sizeof uuid) == 0);
  }
  CHECK_STATUS(fencepost_uuid_parse(NULL, uuid, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK_STATUS(fencepost_uuid_parse("e2c56db5-dffb-48d2-b060-d0f5a71096e0", NULL, NULL), FENCEPOST_E_NULL_ARGUMENT);
  CHECK(memcmp(uuid, before, sizeof uuid) == 0);
}

static void inverse(void) {
  double distance = 0, azimuth1 = 0, azimuth2 = 0;
  CHECK_OK(fencepost_geodesic_inverse(0, 0, 0, 1, &distance, &azimuth1, &azimuth2, NULL));
  CHECK_NEAR(distance, 111319.49079327357, 2e-8);
  CHECK_NEAR(azimuth1, 90, 1e-12);
  CHECK_NEAR(azimuth2, 90, 1e-12);
  /* The distance from JFK to LHR in GeographicLib's documentation. */
  CHECK_OK(fencepost_geodesic_inverse(40.6, -73.8, 51.6, -0.5, &distance, &azimuth1, &azimuth2, NULL));
  CHECK_NEAR(distance, 5551759.400318679, 1e-6);
  CHECK_NEAR(azimuth1, 51.19888284557, 1e-9);
  CHECK_OK(fencepost_geodesic_inverse(90, 0, -90, 0, &distance, NULL, NULL, NULL));
  CHECK_NEAR(distance, 20003931.458625447, 1e-7);
  CHECK_OK(fencepost_geodesic_inverse(0, 0, 0.5, 179.7, NULL, &azimuth1, NULL, NULL)); /* nearly antipodal */
  CHECK_OK(fencepost_geodesic_inverse(1, 2, 3, 4, NULL, NULL, &azimuth2, NULL));
  CHECK_OK(fencepost_geodesic_inverse(1, 2, 3, 4, NULL, NULL, NULL, NULL));
}

static void direct(void) {
  double latitude = 0, longitude = 0, azimuth = 0;
  CHECK_OK(fencepost_geodesic_direct(0, 0, 90, 111319.49079327357, &latitude, &longitude, &azimuth, NULL));
  CHECK_NEAR(latitude, 0, 1e-13);
  CHECK_NEAR(longitude, 1, 1e-13);
  CHECK_NEAR(azimuth, 90, 1e-12);
  CHECK_OK(fencepost_geodesic_direct(0, 179.5, 450, 111319.49079327357, NULL, &longitude, NULL, NULL));
  CHECK_NEAR(longitude, -179.5, 1e-12);
  CHECK_OK(fencepost_geodesic_direct(10, 20, 33, -1e9, &latitude, NULL, NULL, NULL));
  CHECK_OK(fencepost_geodesic_direct(10, 20, -1e300, 1e9, NULL, NULL, &azimuth, NULL));
  CHECK(isfinite(latitude) && isfinite(azimuth));
  CHECK_OK(fencepost_geodesic_direct(10, 20, 30, 40, NULL, NULL, NULL, NULL));
}

static void round_trip(void) {
  uint64_t random = 7;
  for (int i = 0; i < 2000; i++) {
    double unit[4];
    for (int j = 0; j < 4; j++) {
      random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      unit[j] = (double)(random >> 11) / 9007199254740992.0;
    }
    double latitude = unit[0] * 170 - 85, longitude = unit[1] * 360 - 180;
    double azimuth = unit[2] * 360 - 180, distance = unit[3] * 19e6;
    double latitude2, longitude2, back;
    CHECK_OK(fencepost_geodesic_direct(latitude, longitude, azimuth, distance, &latitude2, &longitude2, NULL, NULL));
    CHECK_OK(fencepost_geodesic_inverse(latitude, longitude, latitude2, longitude2, &back, NULL, NULL, NULL));
    CHECK_NEAR(back, distance, 1e-7);
  }
}

static void geodesy_refused(void) {
  const double bad[] = {(double)NAN, (double)INFINITY, (double)-INFINITY, 1e300, -360.5};
  double out[3] = {9, 9, 9};
  for (size_t i = 0; i < 5; i++) {
    for (int position = 0; position < 4; position++) {
      double in[4] = {1, 2, 3, 4};
      in[position] = bad[i];
      fencepost_error error = FENCEPOST_ERROR_INIT;
      CHECK_STATUS(fencepost_geodesic_inverse(in[0], in[1], in[2], in[3], &out[0], &out[1], &out[2], &error),
                   FENCEPOST_E_INVALID_ARGUMENT);
      CHECK_CONTAINS(error.message, "180");
    }
    for (int position = 0; position < 2; position++) {
      double in[2] = {1, 2};
      in[position] = bad[i];
      CHECK_STATUS(fencepost_geodesic_direct(in[0], in[1], 3, 4, &out[0], &out[1], &out[2], NULL),
                   FENCEPOST_E_INVALID_ARGUMENT);
    }
  }
  for (size_t i = 0; i < 3; i++) {
    CHECK_STATUS(fencepost_geodesic_direct(1, 2, bad[i], 4, &out[0], &out[1], &out[2], NULL),
                 FENCEPOST_E_INVALID_ARGUMENT);
    CHECK_STATUS(fencepost_geodesic_direct(1, 2, 3, bad[i], &out[0], &out[1], &out[2], NULL),
                 FENCEPOST_E_INVALID_ARGUMENT);
  }
  CHECK_STATUS(fencepost_geodesic_direct(1, 2, 3, 1.0000001e9, &out[0], NULL, NULL, NULL),
               FENCEPOST_E_INVALID_ARGUMENT);
  CHECK(out[0] == 9 && out[1] == 9 && out[2] == 9);
}

static const ccase cases[] = {
    {"uuid_parse: upper and lower case", uuid_parse},
    {"uuid_parse: what is not a UUID, NULL", uuid_refused},
    {"geodesic_inverse: known distances, NULL outputs", inverse},
    {"geodesic_direct: known ends, NULL outputs", direct},
    {"geodesic_direct, geodesic_inverse: there and back", round_trip},
    {"geodesic_direct, geodesic_inverse: refused values leave the outputs", geodesy_refused},
};
AREA(area_geodesy);
