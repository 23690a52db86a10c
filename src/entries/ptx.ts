/** `warpsmith/ptx`: kernels that another compiler made, launched from TypeScript. docs/ptx.md. */

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
} from "../tools/load-ptx/index.ts";
export { loadPtx, pointer, scalar, struct, tensorMapBytes } from "../tools/load-ptx/index.ts";
