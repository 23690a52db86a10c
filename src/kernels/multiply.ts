import { type ConsumerStage, type Operand, range, WGMMAMatrix, warp } from "warpsmith";

/** Hands a stage back to every block that fills it: one lane of each warp for each block, because a warp waits for its own part of a product. */
export function release(stage: ConsumerStage, peers: number, pred: boolean) {
  "use kernel";
  if (peers === 1) stage.release({ pred: warp.lane === 0 && pred });
  else stage.release({ pred: warp.lane < peers && pred, rank: warp.lane });
}

/** Products of one tile, a stage at a time. Those that `wait` leaves running have kept their stages: the last of them is `held`. */
export function multiply(A: Operand, B: Operand, from: ConsumerStage, turns: number, wait: number, peers: number) {
  "use kernel";
  let D = WGMMAMatrix.accumulator("f32", [A.shape[0], B.shape[1]]);
  let get = from;
  let held = from;
  for (const k of range(turns)) {
    get.wait();
    D = D.mma(A.at(get.index), B.at(get.index), { accumulate: k > 0, wait });
    if (wait === 0) release(get, peers, true);
    else release(held, peers, k > 0);
    held = get;
    get = get.next();
  }
  return { D, get, held };
}
