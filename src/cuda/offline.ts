/** What CUDA's room knows without a driver: `ptxas`, the numbers of a tensor map, the oldest driver. */
export { oldestDriver } from "./constants.ts";
export { mapNumbers } from "./map-encoder.ts";
export { openPtxas, type Ptxas } from "./ptxas.ts";
