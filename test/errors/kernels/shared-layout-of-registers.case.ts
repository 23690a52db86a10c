// Shared memory in a layout of registers.
import { BlockedLayout, kernel, type SharedLayout, sharedMemory } from "warpsmith";

const blocked = new BlockedLayout({ perThread: [1, 4], threads: [2, 16], warps: [1, 1] });

const wrong = kernel({ block: 32, grid: 1 }, function wrong() {
  sharedMemory.alloc("f32", [32, 64], { layout: blocked as unknown as SharedLayout }); // error: W6232
});

export const run = () => wrong.compile();
