\echo Use "CREATE EXTENSION fencepost" to load this file. \quit

CREATE FUNCTION fp_version() RETURNS text
  AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE;

CREATE FUNCTION fp_distance(latitude1 float8, longitude1 float8, latitude2 float8, longitude2 float8) RETURNS float8
  AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION fp_distance IS 'metres along the WGS84 geodesic; degrees';

CREATE FUNCTION fp_boundary_distance(geometry bytea, latitude float8, longitude float8, options text DEFAULT NULL)
  RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION fp_boundary_distance IS 'metres to the boundary of a shape (WKB, EWKB), negative inside';

CREATE FUNCTION fp_contains(geometry bytea, latitude float8, longitude float8, options text DEFAULT NULL)
  RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION fp_contains IS 'whether a shape (WKB, EWKB) holds a position, its boundary included';

CREATE FUNCTION fp_probability(geometry bytea, latitude float8, longitude float8, accuracy float8,
                               options text DEFAULT NULL)
  RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION fp_probability(bytea, float8, float8, float8, text) IS
  'probability that a shape (WKB, EWKB) contains the true position, for an accuracy in metres';
CREATE FUNCTION fp_probability(geometry bytea, latitude float8, longitude float8, accuracy float8, error_major float8,
                               error_minor float8, error_orientation float8, options text DEFAULT NULL)
  RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION fp_probability(bytea, float8, float8, float8, float8, float8, float8, text) IS
  'probability that a shape (WKB, EWKB) contains the true position, for a one-sigma error ellipse';

CREATE FUNCTION fp_latitude(point bytea) RETURNS float8
  AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION fp_longitude(point bytea) RETURNS float8
  AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION fp_latitude IS 'degrees of a point (WKB, EWKB)';
COMMENT ON FUNCTION fp_longitude IS 'degrees of a point (WKB, EWKB)';

CREATE FUNCTION fp_places_step(internal, text, bytea) RETURNS internal
  AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION fp_places_step(internal, text, bytea, text) RETURNS internal
  AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION fp_places_step(internal, text, float8, float8, float8) RETURNS internal
  AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION fp_places_step(internal, text, float8, float8, float8, text) RETURNS internal
  AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION fp_places_final(internal) RETURNS bytea
  AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE fp_places(id text, geometry bytea) (
  SFUNC = fp_places_step, STYPE = internal, FINALFUNC = fp_places_final, PARALLEL = SAFE);
CREATE AGGREGATE fp_places(id text, geometry bytea, options text) (
  SFUNC = fp_places_step, STYPE = internal, FINALFUNC = fp_places_final, PARALLEL = SAFE);
CREATE AGGREGATE fp_places(id text, latitude float8, longitude float8, radius float8) (
  SFUNC = fp_places_step, STYPE = internal, FINALFUNC = fp_places_final, PARALLEL = SAFE);
CREATE AGGREGATE fp_places(id text, latitude float8, longitude float8, radius float8, options text) (
  SFUNC = fp_places_step, STYPE = internal, FINALFUNC = fp_places_final, PARALLEL = SAFE);

CREATE FUNCTION fp_containing(places bytea, latitude float8, longitude float8, altitude float8 DEFAULT NULL,
                              geoid_height float8 DEFAULT NULL, ground_height float8 DEFAULT NULL,
                              at_time timestamptz DEFAULT NULL) RETURNS text[]
  AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION fp_containing IS 'the places that contain a position, and at a time those within their hours, ordered by identifier';

CREATE FUNCTION fp_nearest(places bytea, latitude float8, longitude float8, k integer)
  RETURNS TABLE (place text, distance float8) AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION fp_nearest IS 'the k places whose boundaries are nearest, with metres, negative inside';

CREATE TYPE fp_event AS (
  place text, kind text, "time" timestamptz, evidence_time timestamptz, state text, latitude float8, longitude float8,
  accuracy float8, distance float8, sequence bigint, direction text, on_path boolean, after_gap boolean,
  probability float8, vertical_distance float8, decided_by text);
CREATE TYPE fp_counts AS (accepted bigint, invalid bigint, late bigint, doubted bigint);
CREATE TYPE fp_visit AS (
  place text, start timestamptz, "end" timestamptz, duration interval, start_known text, end_known text,
  confirmed_start timestamptz, confirmed_end timestamptz);

CREATE FUNCTION fp_track_step(internal, bytea, timestamptz, float8, float8) RETURNS internal
  AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION fp_track_step(internal, bytea, timestamptz, float8, float8, float8) RETURNS internal
  AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION fp_track_step(internal, bytea, timestamptz, float8, float8, float8, text) RETURNS internal
  AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION fp_track_step(internal, bytea, timestamptz, float8, float8, float8, float8, float8, float8)
  RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION fp_track_step(internal, bytea, timestamptz, float8, float8, float8, float8, float8, float8, text)
  RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION fp_track_step(internal, bytea, timestamptz, float8, float8, float8, float8, float8, float8, float8,
                              float8, float8, float8)
  RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION fp_track_step(internal, bytea, timestamptz, float8, float8, float8, float8, float8, float8, float8,
                              float8, float8, float8, text)
  RETURNS internal AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION fp_events_final(internal) RETURNS fp_event[]
  AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION fp_visits_final(internal) RETURNS fp_visit[]
  AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION fp_counts_final(internal) RETURNS fp_counts
  AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE;

CREATE AGGREGATE fp_events(places bytea, "time" timestamptz, latitude float8, longitude float8) (
  SFUNC = fp_track_step, STYPE = internal, FINALFUNC = fp_events_final, PARALLEL = SAFE);
CREATE AGGREGATE fp_events(places bytea, "time" timestamptz, latitude float8, longitude float8, accuracy float8) (
  SFUNC = fp_track_step, STYPE = internal, FINALFUNC = fp_events_final, PARALLEL = SAFE);
CREATE AGGREGATE fp_events(places bytea, "time" timestamptz, latitude float8, longitude float8, accuracy float8,
                           options text) (
  SFUNC = fp_track_step, STYPE = internal, FINALFUNC = fp_events_final, PARALLEL = SAFE);
CREATE AGGREGATE fp_events(places bytea, "time" timestamptz, latitude float8, longitude float8, accuracy float8,
                           error_major float8, error_minor float8, error_orientation float8) (
  SFUNC = fp_track_step, STYPE = internal, FINALFUNC = fp_events_final, PARALLEL = SAFE);
CREATE AGGREGATE fp_events(places bytea, "time" timestamptz, latitude float8, longitude float8, accuracy float8,
                           error_major float8, error_minor float8, error_orientation float8, options text) (
  SFUNC = fp_track_step, STYPE = internal, FINALFUNC = fp_events_final, PARALLEL = SAFE);
CREATE AGGREGATE fp_events(places bytea, "time" timestamptz, latitude float8, longitude float8, accuracy float8,
                           error_major float8, error_minor float8, error_orientation float8, altitude float8,
                           vertical_accuracy float8, geoid_height float8, ground_height float8) (
  SFUNC = fp_track_step, STYPE = internal, FINALFUNC = fp_events_final, PARALLEL = SAFE);
CREATE AGGREGATE fp_events(places bytea, "time" timestamptz, latitude float8, longitude float8, accuracy float8,
                           error_major float8, error_minor float8, error_orientation float8, altitude float8,
                           vertical_accuracy float8, geoid_height float8, ground_height float8, options text) (
  SFUNC = fp_track_step, STYPE = internal, FINALFUNC = fp_events_final, PARALLEL = SAFE);
CREATE AGGREGATE fp_visits(places bytea, "time" timestamptz, latitude float8, longitude float8) (
  SFUNC = fp_track_step, STYPE = internal, FINALFUNC = fp_visits_final, PARALLEL = SAFE);
CREATE AGGREGATE fp_visits(places bytea, "time" timestamptz, latitude float8, longitude float8, accuracy float8) (
  SFUNC = fp_track_step, STYPE = internal, FINALFUNC = fp_visits_final, PARALLEL = SAFE);
CREATE AGGREGATE fp_visits(places bytea, "time" timestamptz, latitude float8, longitude float8, accuracy float8,
                           options text) (
  SFUNC = fp_track_step, STYPE = internal, FINALFUNC = fp_visits_final, PARALLEL = SAFE);
CREATE AGGREGATE fp_visits(places bytea, "time" timestamptz, latitude float8, longitude float8, accuracy float8,
                           error_major float8, error_minor float8, error_orientation float8) (
  SFUNC = fp_track_step, STYPE = internal, FINALFUNC = fp_visits_final, PARALLEL = SAFE);
CREATE AGGREGATE fp_visits(places bytea, "time" timestamptz, latitude float8, longitude float8, accuracy float8,
                           error_major float8, error_minor float8, error_orientation float8, options text) (
  SFUNC = fp_track_step, STYPE = internal, FINALFUNC = fp_visits_final, PARALLEL = SAFE);
CREATE AGGREGATE fp_visits(places bytea, "time" timestamptz, latitude float8, longitude float8, accuracy float8,
                           error_major float8, error_minor float8, error_orientation float8, altitude float8,
                           vertical_accuracy float8, geoid_height float8, ground_height float8) (
  SFUNC = fp_track_step, STYPE = internal, FINALFUNC = fp_visits_final, PARALLEL = SAFE);
CREATE AGGREGATE fp_visits(places bytea, "time" timestamptz, latitude float8, longitude float8, accuracy float8,
                           error_major float8, error_minor float8, error_orientation float8, altitude float8,
                           vertical_accuracy float8, geoid_height float8, ground_height float8, options text) (
  SFUNC = fp_track_step, STYPE = internal, FINALFUNC = fp_visits_final, PARALLEL = SAFE);
CREATE AGGREGATE fp_counts(places bytea, "time" timestamptz, latitude float8, longitude float8) (
  SFUNC = fp_track_step, STYPE = internal, FINALFUNC = fp_counts_final, PARALLEL = SAFE);
CREATE AGGREGATE fp_counts(places bytea, "time" timestamptz, latitude float8, longitude float8, accuracy float8) (
  SFUNC = fp_track_step, STYPE = internal, FINALFUNC = fp_counts_final, PARALLEL = SAFE);
CREATE AGGREGATE fp_counts(places bytea, "time" timestamptz, latitude float8, longitude float8, accuracy float8,
                           options text) (
  SFUNC = fp_track_step, STYPE = internal, FINALFUNC = fp_counts_final, PARALLEL = SAFE);
CREATE AGGREGATE fp_counts(places bytea, "time" timestamptz, latitude float8, longitude float8, accuracy float8,
                           error_major float8, error_minor float8, error_orientation float8) (
  SFUNC = fp_track_step, STYPE = internal, FINALFUNC = fp_counts_final, PARALLEL = SAFE);
CREATE AGGREGATE fp_counts(places bytea, "time" timestamptz, latitude float8, longitude float8, accuracy float8,
                           error_major float8, error_minor float8, error_orientation float8, options text) (
  SFUNC = fp_track_step, STYPE = internal, FINALFUNC = fp_counts_final, PARALLEL = SAFE);
CREATE AGGREGATE fp_counts(places bytea, "time" timestamptz, latitude float8, longitude float8, accuracy float8,
                           error_major float8, error_minor float8, error_orientation float8, altitude float8,
                           vertical_accuracy float8, geoid_height float8, ground_height float8) (
  SFUNC = fp_track_step, STYPE = internal, FINALFUNC = fp_counts_final, PARALLEL = SAFE);
CREATE AGGREGATE fp_counts(places bytea, "time" timestamptz, latitude float8, longitude float8, accuracy float8,
                           error_major float8, error_minor float8, error_orientation float8, altitude float8,
                           vertical_accuracy float8, geoid_height float8, ground_height float8, options text) (
  SFUNC = fp_track_step, STYPE = internal, FINALFUNC = fp_counts_final, PARALLEL = SAFE);

-- Fleets: devices whose states are rows, so that they change with the transactions that feed them.

CREATE TABLE fleets (
  name text PRIMARY KEY,
  places bytea NOT NULL,
  options text);
ALTER TABLE fleets ALTER COLUMN places SET STORAGE EXTERNAL;

CREATE TABLE devices (
  fleet text REFERENCES fleets ON UPDATE CASCADE ON DELETE CASCADE,
  device text,
  state bytea,
  PRIMARY KEY (fleet, device));

CREATE TABLE events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  fleet text NOT NULL REFERENCES fleets ON UPDATE CASCADE ON DELETE CASCADE,
  device text NOT NULL,
  place text, kind text, "time" timestamptz, evidence_time timestamptz, state text, latitude float8, longitude float8,
  accuracy float8, distance float8, sequence bigint, direction text, on_path boolean, after_gap boolean,
  probability float8, vertical_distance float8, decided_by text);

SELECT pg_catalog.pg_extension_config_dump('fleets', '');
SELECT pg_catalog.pg_extension_config_dump('devices', '');
SELECT pg_catalog.pg_extension_config_dump('events', '');

CREATE FUNCTION fp_fleet_step(places bytea, options text, device text, state bytea, "time" timestamptz,
                              latitude float8, longitude float8, accuracy float8, error_major float8,
                              error_minor float8, error_orientation float8, altitude float8,
                              vertical_accuracy float8, geoid_height float8, ground_height float8,
                              OUT next bytea, OUT late boolean, OUT found fp_event[])
  AS 'MODULE_PATHNAME' LANGUAGE c STABLE;

CREATE FUNCTION fp_doubted_fixes(state bytea) RETURNS bigint
  AS 'MODULE_PATHNAME', 'fp_state_doubted_fixes' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION fp_doubted_fixes IS 'the number of fixes of a device that plausible_speed doubted';

CREATE FUNCTION create_fleet(name text, places bytea, options text DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- Compile the places now, to refuse a set of places that no device could use.
  PERFORM fencepost.fp_fleet_step(places, options, 'check', NULL, timestamptz 'epoch', NULL, NULL, NULL,
                                   NULL, NULL, NULL, NULL, NULL, NULL, NULL);
  INSERT INTO fencepost.fleets VALUES (name, places, options);
END $$;

CREATE FUNCTION set_places(fleet text, new_places bytea) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM fencepost.fp_fleet_step(new_places, f.options, 'check', NULL, timestamptz 'epoch', NULL, NULL, NULL,
                                   NULL, NULL, NULL, NULL, NULL, NULL, NULL)
    FROM fencepost.fleets f WHERE f.name = fleet;
  UPDATE fencepost.fleets f SET places = new_places WHERE f.name = fleet;
  IF NOT FOUND THEN
    RAISE 'there is no fleet %', fleet USING ERRCODE = 'no_data_found';
  END IF;
END $$;
COMMENT ON FUNCTION set_places IS 'changes the places of a fleet; devices meet the change at their next input';

CREATE FUNCTION feed(fleet text, device text, "time" timestamptz, latitude float8 DEFAULT NULL,
                     longitude float8 DEFAULT NULL, accuracy float8 DEFAULT NULL, error_major float8 DEFAULT NULL,
                     error_minor float8 DEFAULT NULL, error_orientation float8 DEFAULT NULL,
                     altitude float8 DEFAULT NULL, vertical_accuracy float8 DEFAULT NULL,
                     geoid_height float8 DEFAULT NULL, ground_height float8 DEFAULT NULL) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  of fencepost.fleets;
  before bytea;
  step record;
BEGIN
  SELECT * INTO of FROM fencepost.fleets f WHERE f.name = feed.fleet;
  IF NOT FOUND THEN
    RAISE 'there is no fleet %', feed.fleet USING ERRCODE = 'no_data_found',
      HINT = 'Make it with fencepost.create_fleet(name, places).';
  END IF;
  -- Lock the device's row, so that only one transaction at a time feeds a device. A new device gets its row first.
  INSERT INTO fencepost.devices VALUES (feed.fleet, feed.device, NULL) ON CONFLICT DO NOTHING;
  SELECT d.state INTO before FROM fencepost.devices d WHERE d.fleet = feed.fleet AND d.device = feed.device FOR UPDATE;
  SELECT * INTO step FROM fencepost.fp_fleet_step(of.places, of.options, feed.device, before, feed.time, feed.latitude,
                                                  feed.longitude, feed.accuracy, feed.error_major, feed.error_minor,
                                                  feed.error_orientation, feed.altitude, feed.vertical_accuracy,
                                                  feed.geoid_height, feed.ground_height);
  IF step.late THEN
    RETURN NULL;
  END IF;
  UPDATE fencepost.devices d SET state = step.next WHERE d.fleet = feed.fleet AND d.device = feed.device;
  INSERT INTO fencepost.events (fleet, device, place, kind, "time", evidence_time, state, latitude, longitude, accuracy,
                                distance, sequence, direction, on_path, after_gap, probability,
                                vertical_distance, decided_by)
    SELECT feed.fleet, feed.device, e.* FROM unnest(step.found) e;
  RETURN coalesce(array_length(step.found, 1), 0);
END $$;
COMMENT ON FUNCTION feed IS
  'feeds a fix, or advances the clock if there is no position; returns the number of events, or NULL for a late input';

-- Creates the functions for the types of PostGIS, if PostGIS is installed. PostGIS' own cast converts a geometry (EPSG:4326)
-- to bytea. The edges of a geometry are straight on the map; the edges of a geography are geodesics.
CREATE FUNCTION with_postgis() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  s text;
  t text;
BEGIN
  SELECT n.nspname INTO s FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'postgis';
  IF NOT FOUND THEN
    RAISE 'PostGIS is not installed in this database' USING HINT = 'CREATE EXTENSION postgis;';
  END IF;
  IF to_regprocedure(format('fencepost.fp_places_step(internal, text, %I.geography)', s)) IS NOT NULL THEN
    RETURN;
  END IF;
  FOREACH t IN ARRAY ARRAY['geometry', 'geography'] LOOP
    EXECUTE format($sql$
      CREATE FUNCTION fencepost.fp_places_step(internal, text, %1$I.%2$I) RETURNS internal
        AS '$libdir/fencepost' LANGUAGE c IMMUTABLE PARALLEL SAFE;
      CREATE FUNCTION fencepost.fp_places_step(internal, text, %1$I.%2$I, text) RETURNS internal
        AS '$libdir/fencepost' LANGUAGE c IMMUTABLE PARALLEL SAFE;
      CREATE AGGREGATE fencepost.fp_places(id text, geometry %1$I.%2$I) (
        SFUNC = fencepost.fp_places_step, STYPE = internal, FINALFUNC = fencepost.fp_places_final, PARALLEL = SAFE);
      CREATE AGGREGATE fencepost.fp_places(id text, geometry %1$I.%2$I, options text) (
        SFUNC = fencepost.fp_places_step, STYPE = internal, FINALFUNC = fencepost.fp_places_final, PARALLEL = SAFE);
    $sql$, s, t);
  END LOOP;
  EXECUTE format($sql$
    CREATE FUNCTION fencepost.fp_containing(places bytea, point %1$I.geometry) RETURNS text[]
      LANGUAGE sql IMMUTABLE PARALLEL SAFE
      RETURN fencepost.fp_containing(places, fencepost.fp_latitude(%1$I.st_asewkb(point)),
                                     fencepost.fp_longitude(%1$I.st_asewkb(point)));
  $sql$, s);
END $$;
COMMENT ON FUNCTION with_postgis IS 'adds fp_places(id, geometry or geography) and fp_containing(places, geometry) where PostGIS is installed';
