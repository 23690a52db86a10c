import type { Device } from "warpsmith";
import { mapsOf, type Matrix, type Plan } from "../05-wgmma/plan.ts";
import { type Lesson, sized } from "../../lesson.ts";
import { productCase, type Sizes } from "../product.ts";
import { makeOverlapped } from "./overlapped.ts";
import { makePersistent, type PersistentPlan } from "./persistent.ts";
import { makePipelined } from "./pipelined.ts";

/** Kernels made for a plan, with their arguments. To time one: `multiply.bench({}, ...args)`. */
export const pipelined = (a: Matrix, b: Matrix, c: Matrix, plan: Plan) => ({ multiply: makePipelined(plan), args: mapsOf(a, b, c, plan) });
export const persistent = (a: Matrix, b: Matrix, c: Matrix, plan: PersistentPlan, blocks: number) =>
  ({ multiply: makePersistent(plan), args: [...mapsOf(a, b, c, plan), blocks] as const });
export const overlapped = (a: Matrix, b: Matrix, c: Matrix, plan: PersistentPlan, blocks: number) =>
  ({ multiply: makeOverlapped(plan), args: [...mapsOf(a, b, c, plan), blocks] as const });

/** On the emulator three blocks, so that each has several tiles. */
const blocksOf = ({ kind, multiprocessors }: Device) => (kind === "emulator" ? 3 : multiprocessors);

const large = [2000, 1000, 2000] as const, ragged = [208, 416, 304] as const;
const both = [1, 2] as const, wide = [128, 256, 64] as const, small = [64, 64, 64] as const;
/** Three tiles each way, the last of them ragged. */
const reduced = ([rows, columns]: Plan["tile"]) => [2 * rows + 8, 2 * columns + 8, 208] as const;
const orders = [{ order: "column" }, { group: 1 }, { group: 8 }] as const;

const named = ({ tile, stages, warpgroups }: Plan) => `${tile.join("×")}, ${stages} stages, ${4 * warpgroups} warps,`;
const dealt = ({ order }: PersistentPlan) => (order.order ? `by ${order.order}s,` : `groups of ${order.group},`);

const one = (plan: Plan) => (sizes: Sizes) => productCase({
  kernel: "pipelined", parameters: named(plan),
  launch(a, b, c) {
    const { multiply, args } = pipelined(a, b, c, plan);
    multiply.launch({}, ...args);
  },
}, sizes);

const many = (kernel: string, prepare: typeof persistent, plan: PersistentPlan) => (sizes: Sizes) => productCase({
  kernel, parameters: `${named(plan)} ${dealt(plan)}`,
  launch(a, b, c) {
    const { multiply, args } = prepare(a, b, c, plan, blocksOf(c.device));
    multiply.launch({}, ...args);
  },
}, sizes);

const plans = (tile: Plan["tile"], buffers: readonly number[]) => buffers.flatMap((stages) => both.map((warpgroups) => ({ tile, stages, warpgroups })));
const ordered = (tile: Plan["tile"], buffers: readonly number[]) => plans(tile, buffers).flatMap((plan) => orders.map((order) => ({ ...plan, order })));

export const lesson: Lesson = {
  name: "07-persistence",
  cases: [
    ...plans(wide, [2, 3, 4]).map((plan) => sized(one(plan), large, reduced(wide))),
    ...ordered(wide, [2, 3, 4]).map((plan) => sized(many("persistent", persistent, plan), large, reduced(wide))),
    ...[small, wide].flatMap((tile) => ordered(tile, [3, 4]).flatMap((plan) => {
      const of = many("overlapped", overlapped, plan);
      return [of(ragged), sized(of, large, reduced(tile))];
    })),
  ],
};
