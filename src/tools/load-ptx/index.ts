/** PTX of other compilers on a device of either kind: its entries, variables and arguments. `warpsmith/ptx` is a part of it. */
export { parameterNames } from "./arguments.ts";
export { loadPtx, moduleOf } from "./load-ptx.ts";
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
export { address, mapAt, pointer, rawBytes, scalar, struct, structOf, tensorMapBytes, type Value } from "./values.ts";
