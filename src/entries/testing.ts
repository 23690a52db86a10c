/** `warpsmith/testing`: comparing arrays, random numbers, a reference product. */
export {
  assertClose,
  type Closeness,
  type MatmulShape,
  type MatmulType,
  randn,
  referenceMatmul,
  type Tolerance,
} from "../tools/testing/index.ts";
