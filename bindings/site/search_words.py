"""Words that a newcomer may search for, each with the page that answers the question. Each word becomes an entry of the
index, which Sphinx's search ranks above words of the text. A test searches for each of these words."""

from __future__ import annotations

PAGES: dict[str, tuple[str, ...]] = {
    "start": ("tutorial", "quickstart", "getting started"),
    "guides/choose": ("which one", "replay or monitor", "overview"),
    "guides/install": ("install", "pip", "docker", "alpine", "windows", "macos", "raspberry pi"),
    "guides/no-event": (
        "no event",
        "missing event",
        "not triggered",
        "lat lon swapped",
        "latitude longitude swapped",
        "swapped coordinates",
    ),
    "guides/compared": ("geopandas", "movingpandas", "tile38", "mobilitydb", "h3", "alternatives", "comparison"),
    "guides/security-and-privacy": ("privacy", "gdpr", "delete a device", "delete a person", "security", "token"),
    "guides/fleets": ("fleet", "many devices", "vehicles", "occupancy", "who is where"),
    "guides/databases": ("sql", "sqlite", "duckdb", "postgresql", "postgis"),
    "guides/phones": ("mqtt", "owntracks", "traccar", "home assistant", "phone", "tracker"),
    "guides/own-service": ("fastapi", "flask", "asyncio", "webhook", "workers"),
    "guides/files": ("geojson", "gpx", "csv", "geopackage", "parquet", "kml", "nmea"),
    "guides/plausibility": ("jump", "spoofing", "jamming", "outlier", "teleport", "glitch", "max speed"),
    "guides/schedules": ("opening hours", "schedule", "weekly", "shift", "reminder", "dwell event", "silent", "expiry"),
    "guides/heights": ("altitude", "height", "floor", "ellipsoid", "geoid", "sea level", "agl", "amsl", "3d"),
    "guides/rules": ("rule", "composite", "and", "or", "not", "several conditions", "beacon and zone", "combine"),
    "guides/drones": ("drone", "uas", "uav", "ed-269", "ed-318", "u-space", "altitude", "no-fly zone"),
    "guides/spark": ("spark", "flink", "distributed", "cluster"),
    "guides/cheat-python": ("cheat sheet",),
    "concepts/words": ("geofence", "geofencing", "zone", "region", "geozone", "route deviation", "vocabulary"),
    "concepts/states": ("enter", "exit", "leave", "arrive", "inside", "outside", "transition"),
    "concepts/shapes": ("polygon", "circle", "corridor", "multipolygon", "hole", "wkt", "antimeridian"),
    "concepts/paths": ("between fixes", "interpolation", "drive through"),
    "concepts/gates": ("gate", "cross", "crossing", "line", "finish line", "direction"),
    "concepts/questions": ("point in polygon", "spatial join", "sjoin", "nearest", "containing"),
    "concepts/policies": ("dwell", "loiter", "loitering", "hysteresis", "flapping", "jitter", "margin", "accuracy"),
    "concepts/time": ("late", "out of order", "watermark", "clock", "time zone", "advance"),
}


def with_words(page: str, text: str) -> str:
    """Returns the text of a page, with the page's search words inserted after the first heading."""
    heading, _, rest = text.partition("\n")
    entries = ", ".join(f"! {word}" for word in PAGES[page])
    return f"{heading}\n\n```{{index}} {entries}\n```\n{rest}"
