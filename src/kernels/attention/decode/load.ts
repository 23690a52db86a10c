import {
  assert,
  gridDependency,
  type Pipeline,
  range,
  type SharedView,
  staticRange,
  type Tensor,
  type TMA,
  warp,
} from "warpsmith";
import type { HalfType } from "../problem.ts";
import type { DecodeGeometry } from "./plan.ts";
import { beginOf, type Lengths, type Segment, type Work, walk } from "./work.ts";

/** Keys or values, [batches or pages, heads, keys, d]. */
export type CacheMap = TMA<HalfType, 4>;

/** What a block of threads has in common. */
export interface DecodeCommon {
  readonly geometry: DecodeGeometry;
  readonly lengths: Lengths;
  readonly work: Work;
  /** [stages, keys, d]. */
  readonly k: SharedView<HalfType, 3>;
  /** [stages, keys, dv]. */
  readonly v: SharedView<HalfType, 3>;
  readonly keys: Pipeline;
  readonly values: Pipeline;
}

/** Where a block of keys comes from: the map, and the number of the page of each of its pieces. */
interface Source {
  readonly map: CacheMap;
  readonly stage: SharedView<HalfType, 2>;
  readonly pages: readonly number[];
}

/** A piece is a page, or as many keys of one page, or of a batch, as a block has. */
const pieceOf = ({ problem: { pageSize }, plan }: DecodeGeometry): number => Math.min(plan.keys, pageSize ?? plan.keys);

/** The producer: one warp, whose lanes hold the next numbers of pages, and one of which loads. */
export function load(common: DecodeCommon, maps: { readonly k: CacheMap; readonly v: CacheMap }, table?: Tensor<"i32", 2>) {
  "use kernel";
  const { geometry, lengths, work, k, v, keys, values } = common;
  const { problem, plan } = geometry;
  const piece = pieceOf(geometry);
  const pieces = plan.keys / piece;
  if (warp.index % 4 !== 0) return;
  let put = keys.producer();
  let putV = values.producer();
  const bring = ({ map, stage, pages }: Source, bar: Parameters<CacheMap["load"]>[1], row: number, kvHead: number) => {
    for (const i of staticRange(pieces)) {
      const part = stage.subview([i * piece, 0], [piece, stage.shape[1]]);
      map.load(part, bar, [0, row, kvHead, pages[i] ?? 0], { outside: true }); // a page that there is not
    }
  };
  const loadBlock = (row: number, kvHead: number, pages: readonly number[]) => {
    if (warp.lane === 0) {
      bring({ map: maps.k, stage: k.at(put.index), pages }, put.acquire(k.at(0).bytes), row, kvHead);
      bring({ map: maps.v, stage: v.at(putV.index), pages }, putV.acquire(v.at(0).bytes), row, kvHead);
    }
    put = put.next();
    putV = putV.next();
  };
  const loadPaged = (pageSize: number, table: Tensor<"i32", 2>, { batch, kvHead, length, from: first, to: end }: Segment) => {
    // A page of which no query sees a key is one that there is not: TMA brings zeros.
    const pageAt = (page: number): number => {
      const begun = page * pageSize < length;
      const there = problem.window === undefined ? begun : begun && (page + 1) * pageSize > beginOf(geometry, length);
      const given = table.at(batch, there ? page : 0).load({ pred: there, other: maps.k.shape[0] });
      const known = given >= 0 && given < maps.k.shape[0];
      assert(known || !there, "pages[{}, {}] is {}, which is no page of the cache", batch, page, given);
      return given;
    };
    const perPage = pageSize / piece; // blocks of keys of a page, where it has more than one
    const chunk = perPage > 1 ? 31 * perPage : 32 / pieces; // a chunk may begin within a page, and end within one
    const pageOf = (block: number): number => (perPage > 1 ? Math.trunc(block / perPage) : block * pieces);
    let held = pageAt(pageOf(first) + warp.lane);
    for (const from of range(first, end, chunk)) {
      const ahead = pageOf(from);
      const now = held;
      held = pageAt(pageOf(from + chunk) + warp.lane);
      for (const j of range(from, Math.min(from + chunk, end))) {
        const at = pageOf(j) - ahead;
        const pages = Array.from({ length: pieces }, (_, i) => warp.shuffle(now, at + i));
        loadBlock(perPage > 1 ? (j % perPage) * piece : 0, kvHead, pages);
      }
    }
  };
  walk(geometry, lengths, work, (segment) => {
    const { batch, kvHead } = segment;
    if (table && problem.pageSize !== undefined) loadPaged(problem.pageSize, table, segment);
    else for (const j of range(segment.from, segment.to)) loadBlock(j * plan.keys, kvHead, [batch]);
  });
  if (problem.overlaps) gridDependency.launchDependents(); // nothing is left to load
}
