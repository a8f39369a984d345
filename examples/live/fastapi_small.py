"""Devices post positions, and programs query who is where: `ZONES=zones.geojson uvicorn fastapi_small:app`."""

import os
from typing import Any

from fastapi import FastAPI

from fencepost.live import Follower

app, follower = FastAPI(), Follower(os.environ["ZONES"])


@app.post("/fixes")
def take(message: dict[str, Any]) -> list[dict[str, Any]]:
    follower.receive(message)
    return [event.to_dict() for event in follower.events()]


@app.get("/zones/{zone}")
def inside(zone: str) -> list[str]:
    return [presence.device for presence in follower.fleet.inside(zone)]
