import {
  bits,
  cluster,
  gridDependency,
  i32,
  type Kernel,
  kernel,
  range,
  type SharedView,
  sharedMemory,
  syncThreads,
  type Tensor,
  threadIdx,
  u32,
} from "warpsmith";
import type { Kept } from "../common/made.ts";
import type { FloatType } from "../common/tensors.ts";
import { forRow, type Rows } from "../rows/places.ts";
import { clusterOf, launchOf, type RowShape } from "../rows/plan.ts";
import { forElements, inFirst, makeBins, narrow, syncRow } from "./narrow.ts";
import { type Cut, isChosen, noCut } from "./order.ts";

/** Elements that were chosen, in the first block of a row. */
interface Chosen {
  readonly orders: SharedView<"u32", 1>;
  readonly columns: SharedView<"u32", 1>;
  readonly count: SharedView<"u32", 1>;
}

type Args = [x: Rows, values: Tensor<FloatType, 2>, indices: Tensor<"i32", 2>];

/** The most elements that are chosen at a time, a power of two: what is left over when they are sorted costs less than another digit. */
const roomFor = (k: number): number => Math.max(512, 2 ** Math.ceil(Math.log2(k)));

/** The k greatest elements of each row, the greatest first, and their columns: a cut behind the k-th, what lies before it, and its order. */
export function makeTopK(k: number, shape: RowShape, overlaps: boolean, kept: Kept): Kernel<Args> {
  const { plan, columns } = shape;
  const room = roomFor(k);
  const dynamic = { x: [0], values: [0], indices: [0] };
  return kernel(
    { ...kept, ...launchOf(plan), dynamic },
    function topK(x: Rows, values: Tensor<FloatType, 2>, indices: Tensor<"i32", 2>) {
      if (overlaps) gridDependency.wait();
      const chosen: Chosen = {
        orders: sharedMemory.alloc("u32", [room]),
        columns: sharedMemory.alloc("u32", [room]),
        count: sharedMemory.alloc("u32", [1]),
      };
      forRow(x.shape[0], plan, (row) => {
        if (threadIdx.x === 0) chosen.count.at(0).store(0);
        const cut = columns <= room ? noCut() : cutBehind(x, row, k, room, shape);
        syncRow(shape);
        collect(x, row, shape, cut, chosen);
        syncRow(shape);
        if (clusterOf(plan) > 1 && cluster.rank !== 0) return;
        sort(plan.threads, chosen);
        for (const i of range(threadIdx.x, k, plan.threads)) {
          const column = i32(chosen.columns.at(i).load());
          values.at(row, i).store(x.at(row, column).load());
          indices.at(row, i).store(column);
        }
      });
    },
  );
}

/** A cut behind the k-th element; up to as many as there is room for may lie before it. */
function cutBehind(x: Rows, row: number, k: number, room: number, shape: RowShape): Cut {
  "use kernel";
  const all = { cut: noCut(), before: u32(0), here: u32(shape.columns), wanted: u32(k) };
  return narrow(x, row, shape, makeBins(shape), all, room, () => u32(1)).cut;
}

/** Elements before the cut, in any order. */
function collect(x: Rows, row: number, shape: RowShape, cut: Cut, chosen: Chosen): void {
  "use kernel";
  const [orders, columns, count] = [inFirst(shape, chosen.orders), inFirst(shape, chosen.columns), inFirst(shape, chosen.count)];
  forElements(x, row, shape, (_, order, column, pred) => {
    const isIn = isChosen(cut, order, column);
    if (pred === undefined ? isIn : pred && isIn) {
      const place = count.at(0).atomic("add", 1);
      orders.at(place).store(order);
      columns.at(place).store(column);
    }
  });
}

/** Sorts them by their order, of equal ones by their columns: a bitonic network over the next power of two. */
function sort(threads: number, { orders, columns, count }: Chosen): void {
  "use kernel";
  const found = i32(count.at(0).load());
  const length = 1 << (32 - bits.clz(found - 1));
  for (const i of range(found + threadIdx.x, length, threads)) {
    orders.at(i).store(0xffffffff);
    columns.at(i).store(0xffffffff);
  }
  syncThreads();
  for (let size = i32(2); size <= length; size = size * 2) {
    for (let apart = size >> 1; apart > 0; apart = apart >> 1) {
      for (const i of range(threadIdx.x, length >> 1, threads)) {
        const low = 2 * i - (i & (apart - 1));
        const high = low + apart;
        const [a, b] = [orders.at(low).load(), orders.at(high).load()];
        const [columnA, columnB] = [columns.at(low).load(), columns.at(high).load()];
        const falls = a > b || (a === b && columnA > columnB);
        if (falls === ((low & size) === 0)) {
          orders.at(low).store(b);
          orders.at(high).store(a);
          columns.at(low).store(columnB);
          columns.at(high).store(columnA);
        }
      }
      syncThreads();
    }
  }
}
