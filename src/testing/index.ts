export { assertClose, type Closeness, type Tolerance } from "./assert-close.ts";
export { randn } from "./randn.ts";
export { type MatmulShape, referenceMatmul } from "./reference-matmul.ts";
