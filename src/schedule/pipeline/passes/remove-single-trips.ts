/** Requires: nothing. Ensures: none of the product's loops has one iteration; a launch has one of what is not bound. */
import { dropSingleTrips, type PipelinePass } from "../working.ts";

export const removeSingleTrips: PipelinePass = { name: "remove-single-trips", run: dropSingleTrips };
