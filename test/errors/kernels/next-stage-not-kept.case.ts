// Forgets to assign the next stage of a pipeline.
import { kernel, Pipeline, sharedMemory, threadIdx } from "warpsmith";

const wrong = kernel({ block: 64, grid: 1 }, function wrong() {
  const cells = sharedMemory.alloc("i32", [4, 32]);
  const pipe = new Pipeline({ stages: 4, producers: 32, consumers: 32 });
  pipe.init();
  const put = pipe.producer();
  put.wait();
  cells[put.index]![threadIdx.x % 32] = 7;
  put.commit();
  put.next(); // error: W2044
});

export const run = () => wrong.compile();
