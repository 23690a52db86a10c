/** `warpsmith/build`: kernels that leave the house, with launchers for Node, C++ and Python. docs/build.md. */

export type { BuildEntry, BuildLanguage, WriteOptions, WrittenBuild } from "../tools/build/index.ts";
export { type Build, type BuildEntries, type BuildOptions, build, isBuild } from "../tools/build/index.ts";
export * from "../tools/built/public.ts";
