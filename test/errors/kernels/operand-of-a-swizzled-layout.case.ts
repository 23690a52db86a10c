// An operand of wgmma in a layout that wgmma does not know.
import { kernel, sharedMemory, SwizzledSharedLayout, WGMMAMatrix } from "warpsmith";

const wrong = kernel({ block: 128, grid: 1 }, function wrong() {
  const layout = new SwizzledSharedLayout({ vector: 8, perPhase: 1, maxPhase: 8 });
  WGMMAMatrix.descriptor(sharedMemory.alloc("f16", [64, 64], { layout }), [64, 64]); // error: W6129
});

export const run = () => wrong.compile();
