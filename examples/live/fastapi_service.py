"""Devices post positions, and browsers follow events: `ZONES=zones.geojson STORE=state uvicorn fastapi_service:app`.
Run one worker: a store has one owner. /fixes accepts OwnTracks' HTTP mode, Traccar's `forward.type json` and JSON.
"""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import StreamingResponse

from fencepost.errors import NotFoundError, QueueFullError
from fencepost.live import Broadcast, Follower

readers = Broadcast(history=1000)


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with Follower(os.environ["ZONES"], store=os.environ["STORE"], policy="exact", sinks=[readers]) as follower:
        app.state.follower = follower
        serving = asyncio.create_task(follower.serve())
        yield
        readers.close()
        follower.stop()
        await serving


app = FastAPI(lifespan=lifespan)


@app.post("/fixes")
async def take(request: Request) -> list[str]:
    follower: Follower = app.state.follower
    try:
        follower.receive(await request.body())
    except QueueFullError as error:
        raise HTTPException(503, str(error)) from None
    except ValueError as error:
        raise HTTPException(422, str(error)) from None
    if not follower.save():  # the sender still has its message, and sends it again
        raise HTTPException(503, "the store cannot be written")
    return []


@app.get("/zones/{zone}")
async def inside(zone: str) -> list[str]:
    try:
        return [presence.device for presence in app.state.follower.fleet.inside(zone)]
    except NotFoundError as error:
        raise HTTPException(404, str(error)) from None


@app.get("/events")
async def events(request: Request) -> StreamingResponse:
    after = request.headers.get("last-event-id", "")
    found = readers.subscribe(int(after) if after.isdigit() else None)
    lines = (f"id: {number}\ndata: {event.to_json()}\n\n" async for number, event in found)
    return StreamingResponse(lines, media_type="text/event-stream")
