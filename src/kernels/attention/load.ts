import { gridDependency, range, staticRange, warpgroup } from "warpsmith";
import { keyAt, numberOf, queryAt } from "./blocks.ts";
import { ROWS } from "./plan.ts";
import { type Common, type HeadsMap, walk } from "./walk.ts";

/**
 * The producer: one thread of its warpgroup. Scores of a block are multiplied before the values of the one before it, and so they are loaded. A consumer may have no queries, and
 * the second part of a mask's block no keys: boxes outside, which bring zeros.
 */
export function load(common: Common, maps: { readonly q: HeadsMap; readonly k: HeadsMap; readonly v: HeadsMap }) {
  "use kernel";
  const { geometry, q, k, v, queries, keys, values } = common;
  const { problem, plan } = geometry;
  if (warpgroup.thread !== 0) return;
  let put = keys.producer();
  let putV = values.producer();
  let putQ = queries.producer();
  walk(
    common,
    (tile, blocks) => {
      const { row, head } = tile;
      const { last, first } = blocks;
      const kvHead = problem.share === 1 ? head : Math.trunc(head / problem.share);
      const loadKeys = (j: number) => {
        maps.k.load(k.at(put.index), put.acquire(k.at(0).bytes), keyAt(tile, j * plan.keys, kvHead), { outside: true });
        put = put.next();
      };
      const loadValues = (j: number) => {
        maps.v.load(v.at(putV.index), putV.acquire(v.at(0).bytes), keyAt(tile, j * plan.keys, kvHead), { outside: true });
        putV = putV.next();
      };
      for (const wg of staticRange(plan.consumers)) {
        maps.q.load(q.at(wg), putQ.acquire(q.at(0).bytes), queryAt(tile, row + wg * ROWS), { outside: true });
        putQ = putQ.next();
        if (wg === 0) loadKeys(numberOf(geometry, blocks, last));
      }
      if (blocks.list) {
        // Numbers are read a block ahead: they come from memory.
        let now = numberOf(geometry, blocks, last);
        let next = numberOf(geometry, blocks, Math.max(last - 1, first));
        for (const j of range(last - 1, first - 1, -1)) {
          const ahead = numberOf(geometry, blocks, Math.max(j - 1, first));
          loadKeys(next);
          loadValues(now);
          now = next;
          next = ahead;
        }
        loadValues(now);
        return;
      }
      for (const j of range(last - 1, first - 1, -1)) {
        loadKeys(j);
        loadValues(j + 1);
      }
      loadValues(first);
    },
    undefined,
  );
  if (problem.overlaps) gridDependency.launchDependents(); // nothing is left to load
}
