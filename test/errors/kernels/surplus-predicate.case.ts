// An mbarrier is initialised with a predicate, as other languages take it.
import { kernel, Mbarriers, openDevice, threadIdx } from "warpsmith";

const init = kernel({ block: 32, grid: 1 }, function init() {
  const bar = new Mbarriers(1).at(0);
  bar.init(1, { pred: threadIdx.x === 0 }); // error: W2078
});

export async function run() {
  await using device = await openDevice("emulator");
  init.launch({ device });
}
