/** From a program of loop nests to a kernel: the passes over its tree in order, and the kernel that they give. */
export { checkIntrinsic } from "./check-intrinsic.ts";
export { effects } from "./effects.ts";
export { type ProgramKernelOptions, programKernel } from "./program-kernel.ts";
export { type LoweredStage, loweringStages } from "./stages.ts";
