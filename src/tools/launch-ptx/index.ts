/** Launches PTX that another compiler made, on a device of either kind. */
export type { ReadFile } from "./fill-bytes.ts";
export { checkArguments, launchPtx } from "./launch-ptx.ts";
export { type ParsedArguments, parseArguments } from "./parse-arguments.ts";
export type { Fill, PtxAddress, PtxArgument, PtxBuffer, PtxLaunch, PtxResult, PtxSurface, PtxTexture } from "./types.ts";
