/** `warpsmith/testing`: comparing arrays, random numbers, a reference product. */
export { assertClose, type Closeness, type Tolerance } from "../testing/assert-close.ts";
export { randn } from "../testing/randn.ts";
export { type MatmulShape, type MatmulType, referenceMatmul } from "../testing/reference-matmul.ts";
