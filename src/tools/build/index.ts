/** Builds ahead of time: kernels described as data, and what `warpsmith build` writes of them. `warpsmith/build` is a part of it. */
export { type Build, type BuildEntries, type BuildOptions, build, isBuild } from "./build.ts";
export type { BuildEntry } from "./describe-kernel.ts";
export { tellBuildSteps } from "./progress.ts";
export type { BuildLanguage, WriteOptions, WrittenBuild } from "./write-build.ts";
