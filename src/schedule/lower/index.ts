/** From a program of loop nests to a kernel: the passes over its tree in order, and the kernel that they give. */

export { checkIntrinsic } from "./kernel/check-intrinsic.ts";
export { type ProgramKernelOptions, programKernel } from "./kernel/program-kernel.ts";
export { type LoweredStage, loweringStages } from "./kernel/stages.ts";
