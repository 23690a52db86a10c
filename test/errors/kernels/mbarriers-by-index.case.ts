// Takes an mbarrier by index, as NVDSL does.
import { kernel, type Mbarrier, Mbarriers, threadIdx } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong() {
  const bars: readonly Mbarrier[] = new Mbarriers(2) as never;
  if (threadIdx.x === 0) bars[0].init(1); // error: W2071
});

export const run = () => wrong.compile();
