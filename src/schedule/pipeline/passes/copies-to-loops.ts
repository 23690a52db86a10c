/** Requires: copies of tiles between global and shared memory as loops over rows and columns. Ensures: each is one loop over all elements of the tile, row by row. */
import { copiesByThreads, lastTwo, type PipelinePass } from "../working.ts";

export const copiesToLoops: PipelinePass = {
  name: "copies-to-loops",
  run(w) {
    for (const copy of copiesByThreads(w)) copy.all = w.sch.fuse(...lastTwo(w, copy.block));
  },
};
