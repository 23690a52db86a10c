import { defineErrors } from "../../base/diag/index.ts";

/** W552x to W558x: steps of a schedule. */
export const stepsErrors = defineErrors({
  W5520: {
    message: (a: { what: string; name: string; nearest: string | undefined }) =>
      `the program has no ${a.what} '${a.name}'${a.nearest === undefined ? "" : `; there is '${a.nearest}'`}`,
    fix: () => "print the schedule to see its loops, blocks and buffers",
  },
  W5521: {
    message: (a: { step: string; what: string; given?: string; fix?: string | undefined }) =>
      `${a.step} takes ${a.what}${a.given === undefined ? "" : `, not ${a.given}`}`,
    fix: (a) =>
      a.fix ??
      "loops come from getLoops() and from the steps that make them, blocks from getBlock() and the steps that make them",
  },
  W5522: {
    message: (a: { step: string; loop: string }) => `${a.step}: the loop '${a.loop}' is no longer in the program`,
    fix: () => "take the loops that the step which replaced it gave, or ask getLoops() again",
  },
  W5523: {
    message: (a: { step: string; why: string }) => `${a.step}: ${a.why}`,
    fix: () => "give loops that stand directly inside one another, each with nothing beside the next one",
  },
  W5524: {
    message: (a: { step: string; why: string }) => `${a.step} would change what the program computes: ${a.why}`,
    fix: () => "take another order of steps, or another loop; a block's axes say which loops may run in any order",
  },
  W5525: {
    message: (a: { step: string; why: string }) => `${a.step}: an extent forbids it: ${a.why}`,
    fix: () =>
      "give factors whose product is the extent of the loop, with one of them left open as null; or pad the buffer first",
  },
  W5526: {
    message: (a: { step: string; why: string }) => `${a.step}: a scope forbids it: ${a.why}`,
    fix: () =>
      "scopes are global, shared, local, wmma.matrix_a, wmma.matrix_b, wmma.accumulator, mma.matrix_a, mma.matrix_b, mma.accumulator, wgmma.matrix_a and wgmma.accumulator",
  },
  W5527: {
    message: (a: { step: string; why: string; instead?: string | undefined }) => `${a.step}: ${a.why}`,
    fix: (a) =>
      a.instead ??
      "a loop is bound once, to blockIdx.x, .y, .z, threadIdx.x, .y or .z, and no loop around or inside it to the same index",
  },
  W5528: {
    message: (a: { block: string; intrinsic: string; why: string }) =>
      `'${a.block}' is not what the intrinsic '${a.intrinsic}' does: ${a.why}`,
    fix: () =>
      "split and reorder its loops until they are those of the intrinsic's description, and put its buffers into the scopes it takes",
  },
  W5575: {
    message: (a: { step: string; why: string; instead?: string | undefined }) => `${a.step}: ${a.why}`,
    fix: (a) =>
      a.instead ??
      "give it the loop over K whose body copies tiles with tma_load intrinsics into shared memory and multiplies them; copies depend on no thread, and on nothing that the kernel writes",
  },
});
