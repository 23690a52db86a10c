// A swizzled layout with six phases.
import { kernel, sharedMemory, SwizzledSharedLayout } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong() {
  const layout = new SwizzledSharedLayout({ vector: 8, perPhase: 1, maxPhase: 6 }); // error: W6230
  sharedMemory.alloc("f16", [64, 64], { layout });
});

export const run = () => wrong.compile();
