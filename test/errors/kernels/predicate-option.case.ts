// Gives an option the name that other frameworks have for it.
import { kernel, Mbarriers, threadIdx } from "warpsmith";

const wrong = kernel({ block: 32, grid: 1 }, function wrong() {
  const bar = new Mbarriers(1).at(0);
  bar.arrive({ predicate: threadIdx.x === 0 } as never); // error: W2601
});

export const run = () => wrong.compile();
