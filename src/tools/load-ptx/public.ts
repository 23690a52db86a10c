/** What authors see of it: `warpsmith/ptx`. */
export { loadPtx } from "./load-ptx.ts";
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
} from "./types.ts";
export { pointer, scalar, struct, tensorMapBytes } from "./values.ts";
