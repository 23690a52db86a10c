// A layout and a swizzle at once.
import { kernel, PaddedSharedLayout, sharedMemory } from "warpsmith";

const layout = new PaddedSharedLayout({ every: 64, by: 8 });

const wrong = kernel({ block: 32, grid: 1 }, function wrong() {
  sharedMemory.alloc("f16", [64, 64], { layout, swizzle: "128B" }); // error: W6233
});

export const run = () => wrong.compile();
