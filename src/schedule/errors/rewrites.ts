import { defineErrors } from "../../base/diag/index.ts";

/** W554x: steps of a schedule that make new blocks, buffers and loops. */
export const rewritesErrors = defineErrors({
  W5540: {
    message: (a: { step: string; block: string; why: string }) => `${a.step} does not take '${a.block}': ${a.why}`,
    fix: () =>
      "only a block of one store, whose axes say which element it writes, is put into others, and only an elementwise reader into what it reads; move the others with computeAt() or reverseComputeAt()",
  },
  W5541: {
    message: (a: { step: string; why: string }) => `${a.step}: ${a.why}`,
    fix: () =>
      "give a loop of the reduction of one block that adds, multiplies, or takes the least or greatest, such as one that split() made of it",
  },
  W5542: {
    message: (a: { step: string; block: string; why: string }) => `${a.step} does not take '${a.block}': ${a.why}`,
    fix: () =>
      "give one factor for each axis of a block that adds up products, or computes each element by itself, such as `pad(block, [16, 16, 16])`, before its loops are changed",
  },
  W5543: {
    message: (a: { step: string; buffer: string; why: string }) => `${a.step} makes no versions of '${a.buffer}': ${a.why}`,
    fix: () =>
      "give a loop whose iterations each fill the buffer before they read it, such as the one that cacheRead() and computeAt() put its copy under",
  },
  W5544: {
    message: (a: { step: string; why: string }) => `${a.step}: ${a.why}`,
    fix: () =>
      "give each statement of the loop's body a stage, such as `{ stages: [0, 0, 1] }` for two copies and what uses them; print the schedule to see the statements",
  },
  W5545: {
    message: (a: { what: string; why: string }) => `${a.what} is not drawn: ${a.why}`,
    fix: () =>
      "draw a buffer that the program touches, for sizes that are known; print the program to see its buffers, loops and blocks",
  },
});
