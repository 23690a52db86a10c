import { blockIdx, fence, kernel, Mbarriers, sharedMemory, type Static, type Tensor, TMA, threadIdx, tma } from "warpsmith";

export const LENGTH = 16;

/**
 * Block 0 puts a message into the mailbox by TMA and raises a flag; block 1 waits for the flag and takes the message out by TMA. `early`: the
 * flag is raised when TMA has read the message, which is before it has written it.
 */
export const message = kernel({ block: 32, grid: 2 },
  function message(from: TMA<"f32", 1>, mailbox: TMA<"f32", 1>, flag: Tensor<"u32", 1>, to: TMA<"f32", 1>, early: Static<boolean>) {
    const text = sharedMemory.alloc("f32", [LENGTH], { align: 128 });
    const loaded = new Mbarriers(1).at(0);
    if (threadIdx.x !== 0) return;
    loaded.init(1);
    fence.mbarrierInit();
    loaded.arrive({ tx: text.bytes });
    if (blockIdx.x === 0) {
      from.load(text, loaded, [0]);
      loaded.wait(false);
      mailbox.store(text, [0]);
      tma.commit();
      tma.wait(0, { read: early });                    // until it is written, not only until it is read
      flag.at(0).storeRelease(1);
    } else {
      while (flag.at(0).loadAcquire() === 0);          // what comes before the release is seen after this
      mailbox.load(text, loaded, [0]);
      loaded.wait(false);
      to.store(text, [0]);
      tma.commit();
    }
    tma.wait(0);
  });
