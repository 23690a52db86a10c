/** The layouts of tiles that an author may give. */

import { optionsOf, refuseMore } from "../../base/diag/index.ts";
import { isPowerOf2 } from "../../ir/arith.ts";
import { checkOptionsHere, describe } from "../numbers/describe.ts";
import { failHere } from "../trace/fail-here.ts";
import { ownClass } from "../trace/staged.ts";
import { Layout, readLayout, textOf } from "./layout.ts";

/** One number for each dimension, outermost first. */
type Shape = readonly number[];

const product = (shape: Shape): number => shape.reduce((n, extent) => n * extent, 1);

/** The numbers of an option, one for each dimension. W6203. */
function numbersOf(layout: string, name: string, given: unknown): readonly unknown[] {
  return Array.isArray(given) ? given : failHere("W6203", { layout, why: `\`${name}\` is no array of numbers` });
}

function checkNumbers(layout: string, parts: Readonly<Record<string, Shape>>, rank: number): void {
  for (const [name, shape] of Object.entries(parts)) {
    if (!Array.isArray(shape) || shape.length !== rank)
      failHere("W6203", { layout, why: `\`${name}\` has not one number for each of ${rank} dimensions` });
    for (const n of shape)
      if (typeof n !== "number" || !isPowerOf2(n))
        failHere("W6203", { layout, why: `\`${name}\` has ${describe(n)}, which is no power of two` });
  }
}

/** What a blocked layout is made of. */
export interface BlockedOptions {
  /** Neighbouring elements that one thread holds, along each dimension. */
  perThread: readonly number[];
  /** Threads of a warp along each dimension, 32 together. */
  threads: readonly number[];
  /** Warps along each dimension: all that run where the tile is used. */
  warps: readonly number[];
  /** Dimensions, fastest first. Default: the last one is fastest. */
  order?: readonly number[];
}

const blockedOptions = optionsOf<BlockedOptions>("new BlockedLayout()", {
  perThread: true,
  threads: true,
  warps: true,
  order: true,
});

/**
 * Blocks of neighbours in each thread, threads of a warp beside each other, then warps. A tile that is larger repeats it, in further registers, along the last
 * dimension first; of one that is smaller, several threads hold the same element. Gluon's BlockedLayout. W6203.
 */
export class BlockedLayout extends Layout {
  constructor(options: BlockedOptions) {
    refuseMore(BlockedLayout, arguments);
    const name = "BlockedLayout";
    checkOptionsHere(options, blockedOptions);
    const { perThread, threads, warps } = options;
    for (const key of ["perThread", "threads", "warps"] as const) numbersOf(name, key, options[key]);
    const order = options.order ?? perThread.map((_, d) => d).toReversed();
    numbersOf(name, "order", order);
    checkNumbers(name, { perThread, threads, warps }, perThread.length);
    if (product(threads) !== 32)
      failHere("W6203", { layout: name, why: `\`threads\` are ${product(threads)} together, and a warp has 32` });
    if (order.toSorted((a, b) => a - b).some((d, i) => d !== i) || order.length !== perThread.length)
      failHere("W6203", {
        layout: name,
        why: `\`order\` does not name each of ${perThread.length} dimensions once`,
        fix: "give every dimension once, the fastest first: `order: [1, 0]`",
      });
    super({
      kind: "blocked",
      perThread: [...perThread],
      threads: [...threads],
      warps: [...warps],
      order: [...order],
    });
  }
}

/** A layout with dimension `axis` removed: what a reduction along it leaves. W6203. */
export class SliceLayout extends Layout {
  constructor(axis: number, parent: Layout) {
    refuseMore(SliceLayout, arguments);
    const rank = readLayout(parent, "a SliceLayout").rank;
    if (!Number.isInteger(axis) || axis < 0 || axis >= rank)
      failHere("W6203", {
        layout: "SliceLayout",
        why: `its parent has the dimensions 0 to ${rank - 1}, and not ${describe(axis)}`,
        fix: "name a dimension of the parent: `new SliceLayout(1, parent)` leaves its rows",
      });
    super({ kind: "slice", axis, of: textOf(parent) });
  }
}

/** What a layout of wgmma is made of. */
export interface WGMMALayoutOptions {
  /** Neighbouring warpgroups that share the rows evenly. Default 1. */
  warpgroups?: number;
}

const wgmmaOptions = optionsOf<WGMMALayoutOptions>("new WGMMALayout()", { warpgroups: true });

/** The accumulator of wgmma, over one warpgroup or over neighbours that share the rows evenly. PTX ISA 9.7.15.5.1. W6203. */
export class WGMMALayout extends Layout {
  constructor(options: WGMMALayoutOptions = {}) {
    refuseMore(WGMMALayout, arguments);
    checkOptionsHere(options, wgmmaOptions);
    const { warpgroups = 1 } = options;
    if (!Number.isInteger(warpgroups) || warpgroups < 1)
      failHere("W6203", {
        layout: "WGMMALayout",
        why: `it cannot be over ${describe(warpgroups)} warpgroups`,
        fix: "give a whole number of warpgroups, 1 or more",
      });
    super({ kind: "wgmma", warpgroups });
  }
}

/** What a layout of products of warps is made of. */
export interface MMALayoutOptions {
  /** Warps along the rows and along the columns: all that run where the tile is used. */
  warps: readonly [rows: number, columns: number];
}

const mmaOptions = optionsOf<MMALayoutOptions>("new MMALayout()", { warps: true });

/**
 * The accumulator of `tile.dot`, products of single warps (PTX `mma.sync`, m16n8): warps stand beside each other along the columns first. Gluon's
 * NVMMADistributedLayout of version 2. PTX ISA 9.7.14.5. W6203.
 */
export class MMALayout extends Layout {
  constructor(options: MMALayoutOptions) {
    refuseMore(MMALayout, arguments);
    checkOptionsHere(options, mmaOptions);
    const { warps } = options;
    numbersOf("MMALayout", "warps", warps);
    checkNumbers("MMALayout", { warps }, 2);
    super({ kind: "mma", warps: [...warps] });
  }
}

/** What the layout of an operand is made of. */
export interface DotOperandOptions {
  /** The layout of the product. */
  parent: WGMMALayout | MMALayout;
  /** Which side of the product it is. Default "A", the only one that wgmma takes from registers. */
  operand?: "A" | "B";
  /** Neighbours along K in a word of 32 bits: 1, 2 or 4. For f64, 1. */
  kWidth: 1 | 2 | 4;
}

const operandOptions = optionsOf<DotOperandOptions>("new DotOperandLayout()", { parent: true, operand: true, kWidth: true });

/**
 * An operand of a product in registers: the left one of wgmma, or either of `tile.dot`. `kWidth`: neighbours along K in a word of 32 bits, 2 for elements of 16 bits. For
 * those of 16 bits wgmma's is the layout of the accumulator, by another name. PTX ISA 9.7.15.5.1, 9.7.14.5. W6203.
 */
export class DotOperandLayout extends Layout {
  constructor(options: DotOperandOptions) {
    refuseMore(DotOperandLayout, arguments);
    checkOptionsHere(options, operandOptions);
    const { parent, kWidth, operand = "A" } = options;
    const layout = "DotOperandLayout";
    const of = textOf(readLayout(parent, "a DotOperandLayout"));
    if (![1, 2, 4].includes(kWidth))
      failHere("W6203", {
        layout,
        why: `\`kWidth\` is ${describe(kWidth)}`,
        fix: "give 1, 2 or 4: the neighbours along K in 4 bytes, of f64 1",
      });
    if (operand !== "A" && operand !== "B")
      failHere("W6203", {
        layout,
        why: `\`operand\` is ${describe(operand)}`,
        fix: 'say "A" for the left side of a product, "B" for the right one',
      });
    if (of.kind === "wgmma" && operand === "B")
      failHere("W6203", {
        layout,
        why: "wgmma takes its right operand from shared memory",
        fix: "give `WGMMAMatrix.descriptor(view, shape)` as the right operand, or a parent that is an MMALayout",
      });
    if (of.kind === "wgmma") super({ kind: "operand", width: kWidth, warpgroups: of.warpgroups });
    else if (of.kind === "mma") super({ kind: "mma operand", operand, width: kWidth, warps: of.warps });
    else
      super(
        failHere("W6203", {
          layout,
          why: "its parent is neither a WGMMALayout nor an MMALayout",
          fix: "give the layout of the accumulator as `parent`",
        }),
      );
  }
}

/** What a linear layout is made of: the coordinates that each bit of a number adds, exclusive-or. */
export interface LinearOptions {
  /** Of the register's number, from its lowest bit. */
  register: readonly (readonly number[])[];
  /** Of the lane's: five. */
  lane: readonly (readonly number[])[];
  /** Of the warp's. */
  warp: readonly (readonly number[])[];
  /** Of the tile that it covers; larger ones repeat it. */
  shape: readonly number[];
}

const linearOptions = optionsOf<LinearOptions>("new LinearLayout()", { register: true, lane: true, warp: true, shape: true });

/** Along each dimension a bit of a number adds nothing or one power of two, which no other bit adds: so sums are exclusive ors. W6203. */
function checkDistinct(layout: string, bases: Readonly<Record<string, readonly (readonly number[])[]>>): void {
  const taken = new Map<string, string>();
  for (const [name, list] of Object.entries(bases))
    for (const [bit, basis] of list.entries())
      for (const [d, x] of basis.entries()) {
        if (x === 0) continue;
        const here = `bit ${bit} of \`${name}\``;
        if (!isPowerOf2(x))
          failHere("W6203", { layout, why: `${here} adds ${x} along dimension ${d}, which is no power of two` });
        const other = taken.get(`${d} ${x}`);
        if (other !== undefined)
          failHere("W6203", {
            layout,
            why: `${other} and ${here} both add ${x} along dimension ${d}`,
            fix: "let each bit add something of its own, or nothing: `[0, 0]` where threads hold the same element",
          });
        taken.set(`${d} ${x}`, here);
      }
}

/** Any linear map from register, lane and warp to coordinates (arXiv 2505.23819). Gluon's DistributedLinearLayout. W6203. */
export class LinearLayout extends Layout {
  constructor(options: LinearOptions) {
    refuseMore(LinearLayout, arguments);
    const layout = "LinearLayout";
    checkOptionsHere(options, linearOptions);
    const { register, lane, warp, shape } = options;
    numbersOf(layout, "shape", shape);
    for (const name of ["register", "lane", "warp"] as const)
      for (const basis of numbersOf(layout, name, options[name])) numbersOf(layout, name, basis);
    checkNumbers(layout, { shape }, shape.length);
    if (lane.length !== 5)
      failHere("W6203", {
        layout,
        why: `\`lane\` has ${lane.length} bits, and a lane's number has 5`,
        fix: "give five lists in `lane`, one for each bit of a lane's number",
      });
    for (const [name, bases] of Object.entries({ register, lane, warp }))
      for (const basis of bases)
        if (basis.length !== shape.length || basis.some((x, d) => !Number.isInteger(x) || x < 0 || x >= (shape[d] ?? 0)))
          failHere("W6203", {
            layout,
            why: `a bit of \`${name}\` adds (${basis.map(describe).join(", ").replaceAll("`", "")}), which is no place of [${shape.map(describe).join(", ").replaceAll("`", "")}]`,
          });
    checkDistinct(layout, { register, lane, warp });
    const copy = (bases: readonly (readonly number[])[]): number[][] => bases.map((basis) => [...basis]);
    super({ kind: "linear", register: copy(register), lane: copy(lane), warp: copy(warp), extents: [...shape] });
  }
}

for (const each of [BlockedLayout, SliceLayout, WGMMALayout, MMALayout, DotOperandLayout, LinearLayout]) ownClass(each);
