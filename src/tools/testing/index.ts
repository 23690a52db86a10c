/** Comparing arrays, random numbers, a reference product. `warpsmith/testing` is a part of it. */
export { assertClose, type Closeness, type Tolerance } from "./assert-close.ts";
export { createPrng, randn } from "./randn.ts";
export { type MatmulShape, type MatmulType, referenceMatmul } from "./reference-matmul.ts";
