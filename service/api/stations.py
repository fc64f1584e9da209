"""/v1/stations: which recipe a station runs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from service import errors
from service.api.dependencies import App
from service.api.filters import SIGNABLE
from service.api.problems import responses
from service.api.schemas import ChangeoverIn, ChangeoverList, ChangeoverOut, LineIn, StationList, StationOut
from service.api.security import DENIALS, Engineer, can_read
from service.audit.entry import Author

router = APIRouter(prefix="/v1/stations", tags=["stations"], responses=DENIALS)

StationId = Annotated[str, Path(pattern=SIGNABLE, max_length=64)]


@router.get(
    "",
    dependencies=[can_read],
    operation_id="list_stations",
    summary="All stations",
    responses=responses(errors.StoreUnavailable),
)
def list_stations(app: App) -> StationList:
    return StationList(items=[StationOut.model_validate(one) for one in app.stations.all()])


@router.get(
    "/{station_id}",
    dependencies=[can_read],
    operation_id="get_station",
    summary="One station",
    responses=responses(errors.StationNotFound, errors.ValueInvalid, errors.StoreUnavailable),
)
def get_station(app: App, station_id: StationId) -> StationOut:
    return StationOut.model_validate(app.stations.get(station_id))


@router.put(
    "/{station_id}/recipe",
    operation_id="change_over_station",
    summary="Let a station run a recipe from now on",
    responses=responses(errors.RecipeNotFound, errors.ValueInvalid, errors.StoreUnavailable),
)
def change_over_station(app: App, caller: Engineer, station_id: StationId, said: ChangeoverIn) -> StationOut:
    """Its cameras may then post without naming the recipe. The changeover is logged."""
    return StationOut.model_validate(
        app.stations.change_over(station_id, said.recipe, Author(caller.signature, said.reason))
    )


@router.get(
    "/{station_id}/changeovers",
    dependencies=[can_read],
    operation_id="list_changeovers",
    summary="Which recipes a station was given, by whom and why, the latest first",
    responses=responses(errors.ValueInvalid, errors.StoreUnavailable),
)
def list_changeovers(
    app: App, station_id: StationId, limit: Annotated[int, Query(ge=1, le=1000)] = 100
) -> ChangeoverList:
    found = app.stations.changeovers(station_id, limit)
    return ChangeoverList(items=[ChangeoverOut.model_validate(one) for one in found])


@router.put(
    "/{station_id}/line",
    operation_id="assign_station",
    summary="Say on which line a station stands",
    responses=responses(errors.ValueInvalid, errors.StoreUnavailable),
)
def assign_station(app: App, caller: Engineer, station_id: StationId, said: LineIn) -> StationOut:
    """Its results, earlier ones too, are counted there."""
    station = app.stations.assign(station_id, said.line, Author(caller.signature, said.reason))
    return StationOut.model_validate(station)
