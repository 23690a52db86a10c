/** `warpsmith/ptx`: kernels that another compiler made, launched from TypeScript. docs/ptx.md. */
export { loadPtx } from "../load-ptx/load-ptx.ts";
export type {
  PtxArgument,
  PtxEntry,
  PtxFile,
  PtxLaunchConfig,
  PtxModule,
  PtxParameter,
  PtxTensorMap,
  PtxValue,
  PtxVariable,
  PtxVariableOptions,
} from "../load-ptx/types.ts";
export { pointer, scalar, struct, tensorMapBytes } from "../load-ptx/values.ts";
