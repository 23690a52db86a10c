/**
 * Requires: one loop over the elements of each copied tile. Ensures: each thread copies 128 bits at a time (`copyBits`), neighbours what lies next to it. A
 * tile that has fewer such pieces than the block has threads is copied by the first of them.
 */
import type { ThreadTag } from "../../ir/types.ts";
import { vectorOf } from "../plan.ts";
import { bodyOf, copiesByThreads, extentOf, type PipelinePass, type TileCopy, type Working } from "../working.ts";

const greatestCommon = (a: number, b: number): number => (b === 0 ? a : greatestCommon(b, a % b));

function distribute(w: Working, { block, all }: TileCopy): void {
  const { sch, plan } = w;
  const body = bodyOf(w, block);
  if (!all || body.kind !== "store") throw new Error(`'${block.name}' is no copy of a tile in one loop`);
  const vector = vectorOf(body.buffer.dtype, plan);
  let pieces = (extentOf(w, all) ?? vector) / vector;
  const share = (most: number): number => {
    const taken = greatestCommon(pieces, most);
    pieces /= taken;
    return taken;
  };
  const [lanes, along, across] = [share(32), share(plan.warps.n), share(plan.warps.m)];
  const tags: readonly (ThreadTag | undefined)[] = [undefined, "threadIdx.z", "threadIdx.y", "threadIdx.x", undefined];
  const made = sch.split(all, [null, across, along, lanes, vector]);
  made.forEach((loop, i) => {
    const tag = tags[i];
    if (i === made.length - 1 && vector > 1) sch.vectorize(loop);
    else if (i === made.length - 1) sch.dropLoop(loop);
    else if (extentOf(w, loop) === 1 && (tag === undefined || (tag === "threadIdx.z" ? plan.warps.m : plan.warps.n) === 1))
      sch.dropLoop(loop);
    else if (tag !== undefined) sch.bind(loop, tag);
    else sch.unroll(loop);
  });
}

export const distributeCopies: PipelinePass = {
  name: "distribute-copies",
  run(w) {
    for (const copy of copiesByThreads(w)) distribute(w, copy);
  },
};
