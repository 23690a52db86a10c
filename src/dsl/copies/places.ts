import { PlaceObject } from "../memory/place.ts";
import { describe } from "../numbers/describe.ts";
import { failHere } from "../trace/fail-here.ts";

const places = { shared: "place in the shared memory of the block", global: "place in a tensor" } as const;

/** W3030. */
export function placeIn(place: unknown, space: keyof typeof places): PlaceObject {
  if (place instanceof PlaceObject && place.space === space) return place;
  return failHere("W3030", { what: place instanceof PlaceObject ? place.what : describe(place), given: places[space] });
}
