export { assertClose, type Closeness, type Tolerance } from "./assert-close.ts";
export { randn } from "./randn.ts";
export { type MatmulShape, type MatmulType, referenceMatmul } from "./reference-matmul.ts";
