import { type Accumulator, type ConsumerStage, type Operand, range, staticRange, WGMMAMatrix, warp } from "warpsmith";

/** Hands a stage back to every block that fills it: one lane of each warp for each block, because a warp waits for its own part of a product. */
export function release(stage: ConsumerStage, peers: number, pred: boolean) {
  "use kernel";
  if (peers === 1) stage.release({ pred: warp.lane === 0 && pred });
  else stage.release({ pred: warp.lane < peers && pred, rank: warp.lane });
}

/**
 * Products of one tile, a stage at a time: of A with each part of B, side by side. Those that `wait` leaves running have kept their stages:
 * the last of them is `held`.
 */
export function multiply(A: Operand, parts: readonly Operand[], from: ConsumerStage, iters: number, wait: number, peers: number) {
  "use kernel";
  let sums = parts.map((B) => WGMMAMatrix.accumulator("f32", [A.shape[0], B.shape[1]]));
  let get = from;
  let held = from;
  for (const k of range(iters)) {
    get.wait();
    sums = sums.map((D, i) => {
      const B = parts[i] as Operand;
      return D.mma(A.at(get.index), B.at(get.index), { accumulate: k > 0, ...(i === parts.length - 1 ? { wait } : {}) });
    });
    if (wait === 0) release(get, peers, true);
    else release(held, peers, k > 0);
    held = get;
    get = get.next();
  }
  return { sums, get, held };
}

/** Products of the stages that follow, all of one part of B before those of the next. None is waited for, and no stage handed back. */
export function multiplyApart(
  A: Operand,
  parts: readonly Operand[],
  sums: readonly Accumulator[],
  from: ConsumerStage,
  iters: number,
) {
  "use kernel";
  for (const i of staticRange(iters)) from.next(i).wait();
  return sums.map((sum, part) => {
    const B = parts[part] as Operand;
    let D = sum;
    for (const i of staticRange(iters)) {
      const { index } = from.next(i);
      D = D.mma(A.at(index), B.at(index));
    }
    return D;
  });
}
