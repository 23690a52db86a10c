/** `warpsmith/kernels`: kernels that are ready to use. docs/kernels.md. */
export * from "../kernels/index.ts";
