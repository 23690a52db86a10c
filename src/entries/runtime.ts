/** `warpsmith/runtime`: devices, tensors and kernels that are built already. Nothing that traces, transforms or compiles. docs/build.md. */
import "./shared/device-kinds.ts";
import { setSourceReader } from "../base/diag/index.ts";
import { readSource } from "./shared/read-source.ts";

setSourceReader(readSource);

export * from "../runtime/public.ts";
export { type Built, type BuiltKernel, type BuiltLaunchConfig, type LoadBuiltOptions, loadBuilt } from "../tools/built/index.ts";
export * from "../tools/built/public.ts";
