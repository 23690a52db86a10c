// The barrier of the two consumers counts the producer's threads, too.
import { fence, kernel, Mbarriers, namedBarrier, sharedMemory, syncThreads, type Tensor, threadIdx, warpgroup } from "warpsmith";
import { output } from "../../cases/case.ts";
import { count } from "../../hazards/parts.ts";
import { hang } from "../hang.ts";

const exchange = kernel({ block: 384, grid: 1 }, function exchange(out: Tensor<"i32", 1>) {
  const cells = sharedMemory.alloc("i32", [256]);
  const done = new Mbarriers(1).at(0);
  if (threadIdx.x === 0) {
    done.init(256);
    fence.mbarrierInit();
  }
  syncThreads();
  warpgroup.specialize({
    producer: {
      run: () => {
        done.wait(false); // hangs
        out[256 + warpgroup.thread] = 0;
      },
    },
    consumer: {
      warpgroups: 2,
      run: (wg) => {
        const t = 128 * wg + warpgroup.thread;
        cells[t] = t;
        namedBarrier(3, 384).sync(); // hangs
        out[t] = cells[255 - t]!;
        done.arrive();
      },
    },
  });
});

export const namedBarrierCount = hang({
  name: "named-barrier-count",
  file: import.meta.filename,
  kernel: exchange,
  args: [output("i32", [384], [...count(256).toReversed(), ...new Array<number>(128).fill(0)])],
  says: [/256 of 256 arrivals/, /barrier 3/],
  finds: [/mbarrier done at/],
});
