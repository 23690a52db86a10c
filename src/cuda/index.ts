/** GPUs through the CUDA driver: a table of its symbols, devices, streams, graphs, modules. What needs no driver is offline.ts. */
export { createCudaKind, cudaKind } from "./device-kind.ts";
