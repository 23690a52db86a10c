// Padding after 48 elements, of rows of 64.
import { kernel, PaddedSharedLayout, sharedMemory } from "warpsmith";

const layout = new PaddedSharedLayout({ every: 48, by: 8 });

const wrong = kernel({ block: 32, grid: 1 }, function wrong() {
  sharedMemory.alloc("f16", [64, 64], { layout }); // error: W6231
});

export const run = () => wrong.compile();
