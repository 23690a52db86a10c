/** A build at run time: its manifest, what it takes, its launches. It knows no compiler. What authors see of it is public.ts. */
export { evaluate, type LaunchNumbers } from "./grid.ts";
export { type Built, type BuiltKernel, type BuiltLaunchConfig, type LoadBuiltOptions, loadBuilt } from "./load-built.ts";
export { manifestFile, manifestVersion } from "./manifest.ts";
export * from "./public.ts";
export { sha256 } from "./read-build.ts";
