"""The parameters that the algorithms share: the layers of tracks and places, and the policy."""

from qgis.core import (
    QgsProcessing,
    QgsProcessingParameterDefinition,
    QgsProcessingParameterDistance,
    QgsProcessingParameterEnum,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterField,
    QgsProcessingParameterNumber,
    QgsProcessingParameterString,
    QgsUnitTypes,
)

_DOUBLE = QgsProcessingParameterNumber.Double
POLICIES = ("standard", "exact", "core_location")
POLICY_TITLES = (
    "Standard: a fix must be beyond the boundary by 20 m or its accuracy, whichever is larger, for 20 s",
    "Exact: a fix beyond the boundary counts at once",
    "Core Location: like Standard, but to leave, a fix must be outside by the radius or depth (60 to 200 m)",
)
TIME_UNITS = (None, "s", "ms", "us", "ns")
TIME_UNIT_TITLES = (
    "from the field's name, or else from the size of the numbers",
    "seconds since 1970",
    "milliseconds since 1970",
    "microseconds since 1970",
    "nanoseconds since 1970",
)
RADIUS_UNITS = (1.0, 1000.0, 0.3048, 1609.344, 1852.0)
RADIUS_UNIT_TITLES = ("metres", "kilometres", "feet", "miles", "nautical miles")
BY_TIME, AS_STORED = range(2)
SKIP, STOP = range(2)
KEEP, TIMER, EVIDENCE = range(3)
FIXES, GEODESIC = range(2)
NOTIFY = ("initial", "entry", "exit")

OVERRIDES = (
    ("ENTRY_DWELL", "entry_dwell", "Entry dwell, seconds", "How long a device must stay inside to count as inside."),
    ("EXIT_DWELL", "exit_dwell", "Exit dwell, seconds", "How long a device must stay outside to count as outside."),
    (
        "ENTRY_MARGIN", "entry_margin", "Entry margin, metres",
        "A fix counts as inside only if it is at least this far inside the boundary.",
    ),
    (
        "EXIT_MARGIN", "exit_margin", "Exit margin, metres",
        "A fix counts as outside only if it is at least this far outside the boundary.",
    ),
    (
        "EXIT_MARGIN_LIMIT", "exit_margin_limit", "Exit margin limit, metres",
        "Above 0: the exit margin is the radius of a circle or the depth of a polygon, but at least the exit margin "
        "above and at most this limit.",
    ),
    (
        "ACCURACY_FACTOR", "accuracy_factor", "Accuracy factor",
        "A fix must be beyond the boundary by this many times its accuracy; 0: the accuracy is ignored.",
    ),
    (
        "VERTICAL_MARGIN", "vertical_margin", "Vertical margin, metres",
        "Used for places with limits of altitude: a height counts only if it is beyond a limit by at least this far. "
        "A place with thin limits is entered in its middle.",
    ),
    (
        "ENTRY_PROBABILITY", "entry_probability", "Entry probability",
        "A fix counts as inside only if the place contains its true position with at least this probability, above 0.5 "
        "and at most 0.99999. Set both probabilities; the accuracy factor is then 0.",
    ),
    (
        "EXIT_PROBABILITY", "exit_probability", "Exit probability",
        "A fix counts as outside only if the place contains its true position with at most this probability, at least "
        "0.00001 and below 0.5.",
    ),
)  # fmt: skip


def add_tracks(algorithm):
    """Adds the parameters for the layer of fixes, and for the fields of this layer."""
    _add(
        algorithm,
        QgsProcessingParameterFeatureSource("TRACKS", "Tracks (points)", [QgsProcessing.TypeVectorPoint]),
        "Position fixes: one point per feature, in any coordinate system.",
    )
    _field(
        algorithm, "TIME_FIELD", "Time field", "TRACKS",
        "Date and time, ISO 8601 text, or a number since 1970. A time without a time zone is in the zone chosen below. "
        "Empty: the field with a usual name, such as time or timestamp.",
    )  # fmt: skip
    _field(
        algorithm, "ACCURACY_FIELD", "Accuracy field", "TRACKS",
        "Radius of uncertainty in metres. A fix with an empty field has no reported accuracy; a negative value means "
        "that the position is unknown. Empty: the field with a usual name, such as accuracy or hacc, if it exists.",
    )  # fmt: skip
    for name, what, text in (
        ("MAJOR_FIELD", "major semi-axis", "Standard deviation along the major axis, metres"),
        ("MINOR_FIELD", "minor semi-axis", "Standard deviation along the minor axis, metres"),
        ("ORIENTATION_FIELD", "orientation", "Direction of the major axis, degrees from north"),
    ):
        _field(
            algorithm, name, f"Error ellipse: field of the {what}", "TRACKS",
            f"{text}. Probabilities use the error ellipse instead of the accuracy. A fix with three empty fields has "
            "no error ellipse. Set all three fields or none. Empty: the fields error_major_m, error_minor_m and "
            "error_orientation_deg, if they exist.",
            advanced=True,
        )  # fmt: skip
    for name, title, text in (
        ("ALTITUDE_FIELD", "Altitude", "The height above the ellipsoid of WGS84, for places with limits of altitude"),
        ("VERTICAL_ACCURACY_FIELD", "Vertical accuracy", "The uncertainty of the altitude"),
        ("GEOID_FIELD", "Geoid height", "The height of mean sea level above the ellipsoid at the fix"),
        ("GROUND_FIELD", "Ground height", "The height of the ground above the ellipsoid at the fix"),
    ):
        _field(
            algorithm, name, f"{title} field", "TRACKS",
            f"{text}, in metres. A height above the sea is not an altitude. Empty: the field with a usual name: "
            "ellipsoid_altitude_m, vertical_accuracy_m, geoid_height_m or ground_height_m, if it exists.",
            advanced=True,
        )  # fmt: skip
    _field(
        algorithm, "TRACK_FIELD", "Track field", "TRACKS",
        "Identifies the track of a fix: each value is a separate device. Empty: all fixes belong to one device.",
    )  # fmt: skip
    _choice(
        algorithm, "TIME_UNIT", "Unit of numeric times", TIME_UNIT_TITLES,
        "From the name: for example time_s or utc_ms. From the size: seconds below 1e11, milliseconds below 1e14, "
        "microseconds below 1e17, otherwise nanoseconds.",
    )  # fmt: skip
    _add(
        algorithm, QgsProcessingParameterString("TIME_ZONE", "Time zone of times that state none", None, False, True),
        "A name such as Europe/Berlin, or an offset such as +02:00. Empty: UTC.", advanced=True,
    )  # fmt: skip
    _choice(
        algorithm, "ORDER", "Order of the fixes", ("by time", "as stored; fixes earlier than a previous fix are late"),
        "Late fixes are skipped and counted, as in live monitoring.",
    )  # fmt: skip


def add_places(algorithm, points_only=False):
    """Adds the parameters for the layer of circles, polygons or lines, and for the fields of this layer."""
    if points_only:
        layer = QgsProcessingParameterFeatureSource(
            "CIRCLES", "Circles (centre points)", [QgsProcessing.TypeVectorPoint]
        )
        text = "Centres of the circles: points in any coordinate system."
    else:
        layer = QgsProcessingParameterFeatureSource(
            "CIRCLES", "Places (points, polygons or lines)", [QgsProcessing.TypeVectorAnyGeometry]
        )
        text = (
            "Points are the centres of circles, polygons (with holes and parts) are places, and lines are the centre "
            "lines of corridors. In any coordinate system."
        )
    _add(algorithm, layer, text)
    _field(
        algorithm, "IDENTIFIER_FIELD", "Identifier field", "CIRCLES",
        "The place's name in events; must be unique. Empty: the field with a usual name, such as identifier, id or "
        "name, or else the feature's id.",
    )  # fmt: skip
    _field(
        algorithm, "RADIUS_FIELD", "Radius field", "CIRCLES",
        "Radius of a circle, or half the width of a corridor, along the ground. Empty: the fixed radius, or else the "
        "field with a usual name, such as radius. Polygons need no radius.",
    )  # fmt: skip
    radius = QgsProcessingParameterDistance("RADIUS", "Fixed radius", None, "", True, 0)
    radius.setDefaultUnit(QgsUnitTypes.DistanceMeters)
    _add(
        algorithm,
        radius,
        "In metres. Used for places without a radius, or for all places if no radius field is chosen.",
    )
    _choice(algorithm, "RADIUS_UNIT", "Unit of the radius field", RADIUS_UNIT_TITLES, "The fixed radius is in metres.")


def add_own_settings_of_places(algorithm):
    """Adds the parameters for the fields that override the settings for single places."""
    _field(
        algorithm, "POLICY_FIELD", "Policy field", "CIRCLES",
        "A place's own policy: the name of a preset, or a JSON object of policy fields. Empty: all places have the "
        "policy chosen above.", advanced=True,
    )  # fmt: skip
    _field(
        algorithm, "ASSUMING_FIELD", "Assumed state field", "CIRCLES",
        "The state before the first fix: unknown, satisfied (inside) or unsatisfied (outside). Empty: unknown.",
        advanced=True,
    )  # fmt: skip

    for name, field in (("ENTRY_PROBABILITY_FIELD", "entry"), ("EXIT_PROBABILITY_FIELD", "exit")):
        _field(
            algorithm, name, f"{field.capitalize()} probability field", "CIRCLES",
            f"A place's own {field} probability; set both fields. Empty fields: the place has the probabilities of its "
            "policy.", advanced=True,
        )  # fmt: skip


def add_gates(algorithm):
    """Adds the field that marks a line as a gate."""
    _field(
        algorithm, "GATE_FIELD", "Gate field", "CIRCLES",
        "Lines with true in this field are gates, which have no width: each crossing is an event with a direction. "
        "They need movement along the geodesic, and no radius. Empty: the field called gate.", advanced=True,
    )  # fmt: skip


def add_policy(algorithm, title):
    """Adds a preset and its overrides."""
    _choice(
        algorithm,
        "POLICY",
        title,
        POLICY_TITLES,
        "The policy decides when a crossing of a boundary counts.",
        advanced=False,
    )
    for name, _, label, text in OVERRIDES:
        number = QgsProcessingParameterNumber(name, label, QgsProcessingParameterNumber.Double, None, True, 0)
        _add(algorithm, number, f"{text} Not set: the value of the policy.", advanced=True)
    _choice(
        algorithm, "DWELL_POLICY", "End of a dwell", ("as in the policy", "by time", "by the next fix"),
        "By time: the end of the dwell confirms a change. By the next fix: the first fix after the dwell confirms it.",
    )  # fmt: skip
    notify = QgsProcessingParameterEnum("NOTIFY", "Which changes become events", NOTIFY, True, [0, 1, 2], True)
    _add(algorithm, notify, "Initial: the first known state of a device.", advanced=True)


def add_path(algorithm):
    """Adds the parameters for the assumed motion between two fixes."""
    _choice(
        algorithm, "PATH", "Between two fixes",
        ("nothing is known", "the device moved along the geodesic, at constant speed"),
        "With movement along the geodesic, a track that passes through a place between two fixes enters and leaves "
        "it, at the time and the point of the crossing.",
    )  # fmt: skip
    gap = QgsProcessingParameterNumber("MAX_GAP", "Longest gap, seconds", _DOUBLE, 300, False, 1e-6, 1e9)
    _add(
        algorithm, gap, "No movement is assumed between fixes that are farther apart in time than this.", advanced=True
    )
    speed = QgsProcessingParameterNumber("MAX_SPEED", "Highest speed, metres per second", _DOUBLE, None, True, 1e-9)
    _add(
        algorithm,
        speed,
        "No movement is assumed between fixes that would need a higher speed. Not set: any speed.",
        advanced=True,
    )


def path_options(algorithm, parameters, context):
    """Converts the values of the parameters of :func:`add_path` to the options of a monitor; None if nothing is known
    about the motion between two fixes."""
    if algorithm.parameterAsEnum(parameters, "PATH", context) == FIXES:
        return None
    speed = parameters.get("MAX_SPEED")
    return {
        "path": "geodesic",
        "max_gap": algorithm.parameterAsDouble(parameters, "MAX_GAP", context),
        "max_speed": None if speed is None else algorithm.parameterAsDouble(parameters, "MAX_SPEED", context),
    }


def add_errors(algorithm):
    """Adds the parameters for the plausibility of fixes, the meaning of their accuracy, and the order of events."""
    speed = QgsProcessingParameterNumber(
        "PLAUSIBLE_SPEED", "Plausible speed, metres per second", _DOUBLE, None, True, 1e-9
    )
    _add(
        algorithm, speed,
        "A fix that the device cannot have reached at this speed is doubted: it is counted and has no effect, until "
        "other doubted fixes corroborate it. Not set: every speed is plausible.",
        advanced=True,
    )  # fmt: skip
    count = QgsProcessingParameterNumber(
        "CORROBORATION_COUNT", "Doubted fixes that are trusted together",
        QgsProcessingParameterNumber.Integer, 3, False, 2, 1000,
    )  # fmt: skip
    _add(
        algorithm, count,
        "Used with a plausible speed: this many doubted fixes in a row, each of which the device can have reached from "
        "the one before, are trusted.",
        advanced=True,
    )  # fmt: skip
    time = QgsProcessingParameterNumber(
        "CORROBORATION_TIME", "Shortest time of these fixes, seconds", _DOUBLE, 60, False, 0, 1e9
    )
    _add(algorithm, time, "Used with a plausible speed: the doubted fixes span at least this time.", advanced=True)
    share = QgsProcessingParameterNumber(
        "ACCURACY_CONFIDENCE", "Share of the positions within the accuracy", _DOUBLE, 0.68, False, 0.01, 0.9999
    )
    _add(
        algorithm, share,
        "Used with probabilities: the accuracy of a fix is the radius that holds this share of the true positions, for "
        "example 0.68 (Android) or 0.95 (gpsd).",
        advanced=True,
    )  # fmt: skip
    _choice(
        algorithm, "EVENT_ORDER", "Order of the events of one instant",
        ("as the conditions were added", "leaving before entering"),
        "The order of the events that one fix causes for one track. If leaving comes before entering, crossings of "
        "gates come last.",
    )  # fmt: skip


def error_options(algorithm, parameters, context):
    """Converts the values of the parameters of :func:`add_errors` to the options of a monitor."""
    options = {
        "accuracy_confidence": algorithm.parameterAsDouble(parameters, "ACCURACY_CONFIDENCE", context),
        "order": ("add", "exits_first")[algorithm.parameterAsEnum(parameters, "EVENT_ORDER", context)],
    }
    if parameters.get("PLAUSIBLE_SPEED") is None:
        return options
    return options | {
        "plausible_speed": algorithm.parameterAsDouble(parameters, "PLAUSIBLE_SPEED", context),
        "corroboration_count": algorithm.parameterAsInt(parameters, "CORROBORATION_COUNT", context),
        "corroboration_time": algorithm.parameterAsDouble(parameters, "CORROBORATION_TIME", context),
    }


def add_end(algorithm):
    """Adds the parameter for the time that passes after each track's last fix."""
    after = QgsProcessingParameterNumber("AFTER", "Time after each track's end, seconds", defaultValue=0, minValue=0)
    _add(
        algorithm, after,
        "The replay of a track ends at its last fix: a dwell that is still running stays open. "
        "Set a time that is long enough to finish it.",
        advanced=True,
    )  # fmt: skip


def add_broken(algorithm):
    """Adds the parameter that decides whether unusable features are skipped."""
    _choice(
        algorithm, "BROKEN", "Features that cannot be used", ("skip them, with a warning", "stop at the first"),
        "For example features without a geometry or a time, or with an invalid radius.",
    )  # fmt: skip


def add_advanced(algorithm, parameter, text):
    """Adds a parameter to the advanced parameters."""
    _add(algorithm, parameter, text, advanced=True)


def _add(algorithm, parameter, text, advanced=False):
    parameter.setHelp(text)
    if advanced:
        parameter.setFlags(parameter.flags() | QgsProcessingParameterDefinition.FlagAdvanced)
    algorithm.addParameter(parameter)


def _field(algorithm, name, title, layer, text, advanced=False):
    field = QgsProcessingParameterField(name, title, None, layer, QgsProcessingParameterField.Any, False, True)
    _add(algorithm, field, text, advanced)


def _choice(algorithm, name, title, options, text, advanced=True):
    _add(algorithm, QgsProcessingParameterEnum(name, title, options, False, 0), text, advanced)
