/** `warpsmith/ptx`: kernels that another compiler made, launched from TypeScript. docs/ptx.md. */

export * from "../tools/load-ptx/public.ts";
