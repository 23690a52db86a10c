/**
 * Registers of wgmma (PTX ISA 9.7.15.7). W9210: an accumulator, or A in registers, that is touched between its wgmma and the wait
 * that covers it (HAZARDS 35, 36). W9211: a wgmma on registers that were written (by the manual: touched) since the warp's last
 * `wgmma.fence`, or with no fence before it at all (HAZARDS 34). W9216: a wgmma that its warps have not waited for when they exit. What a guard inside straight-line code keeps from running is
 * not known here, and not reported.
 */

import type { Instruction, Register } from "../../../ptx/parse/index.ts";
import { registersOf, traitsOf } from "../../../ptx/parse/index.ts";
import { type Executed, instructionsOf, type Listener } from "../../machine/monitor.ts";
import type { Warp, Warpgroup } from "../../machine/warp.ts";
import type { Program } from "../../program/program.ts";
import type { CheckContext } from "./context.ts";
import { GroupLedger } from "./group-ledger.ts";
import { warpName } from "./names.ts";
import { registerUse } from "./register-use.ts";

/** One `wgmma.mma_async` of the program. Registers by the numbers that this check gives them. */
interface Product {
  readonly at: number;
  readonly d: readonly number[];
  readonly a: readonly number[];
  /** The same for products on one accumulator of one shape. */
  readonly kind: string;
  /** By register. */
  readonly role: readonly ("D" | "A" | undefined)[];
}

/** One instruction's use of such registers. */
interface Touch {
  readonly at: number;
  readonly reads: readonly number[];
  readonly writes: readonly number[];
}

interface Plan {
  readonly names: readonly string[];
  /** By the index of the instruction. */
  readonly products: ReadonlyMap<number, Product>;
  /** What steps do, but for wgmma itself. */
  readonly touches: ReadonlyMap<Executed, readonly Touch[]>;
}

const isProduct = (i: Instruction): boolean => traitsOf(i).async === "product";

/** Numbers registers as they come. */
class Numbers {
  readonly all = new Map<Register, number>();

  of(r: Register): number {
    const known = this.all.get(r) ?? this.all.size;
    this.all.set(r, known);
    return known;
  }
}

function productOf(i: Instruction, numbers: Numbers): Product {
  const [d = [], first = []] = i.operands.slice(0, 2).map((o) => registersOf(o).map((r) => numbers.of(r)));
  // Else the register holds the descriptor of A.
  const a = i.operands[1]?.kind === "vector" ? first : [];
  const role: ("D" | "A")[] = [];
  for (const r of a) role[r] = "A";
  for (const r of d) role[r] = "D";
  const { shape, d: type } = i.opcode.modifiers;
  return { at: i.index, d, a, kind: `${shape} ${type} ${d.join()}`, role };
}

/** What a step does with registers that products use, but for products themselves. */
function touchesOf(step: Executed, ours: (registers: readonly Register[]) => readonly number[]): readonly Touch[] {
  const found: Touch[] = [];
  for (const i of instructionsOf(step)) {
    if (isProduct(i) || (i.guard && step.kind === "segment")) continue;
    const { reads, writes } = registerUse(i);
    const touch = { at: i.index, reads: ours(reads), writes: ours(writes) };
    if (touch.reads.length + touch.writes.length > 0) found.push(touch);
  }
  return found;
}

function planFor({ steps }: Program): Plan {
  const numbers = new Numbers();
  const products = new Map<number, Product>();
  for (const i of steps.flatMap(instructionsOf)) if (isProduct(i)) products.set(i.index, productOf(i, numbers));
  const used = new Set([...products.values()].flatMap(({ d, a }) => [...d, ...a]));
  const ours = (registers: readonly Register[]): readonly number[] =>
    registers.flatMap((r) => {
      const n = numbers.all.get(r);
      return n !== undefined && used.has(n) ? [n] : [];
    });
  const touches = new Map<Executed, readonly Touch[]>();
  for (const step of steps) {
    const found = touchesOf(step, ours);
    if (found.length > 0) touches.set(step, found);
  }
  return { names: [...numbers.all.keys()].map((r) => r.name), products, touches };
}

const plans = new WeakMap<Program, Plan>();

/** What a warp has done with these registers. */
class WarpRegisters {
  readonly underWay = new GroupLedger<Product>();
  fenced = false;
  /** By register: the instruction that wrote it, or read it, since the last fence; -1: none. */
  readonly written: Int32Array;
  readonly read: Int32Array;
  /** The last wgmma that used it as its accumulator since then. */
  readonly product: (Product | undefined)[] = [];

  constructor(registers: number) {
    this.written = new Int32Array(registers).fill(-1);
    this.read = new Int32Array(registers).fill(-1);
  }

  fence(): void {
    this.fenced = true;
    this.written.fill(-1);
    this.read.fill(-1);
    this.product.length = 0;
  }
}

interface Unfenced {
  readonly register: number;
  readonly by?: number;
}

class WgmmaRegisters {
  readonly #c: CheckContext;
  readonly #plan: Plan;
  readonly #warps = new Map<Warp, WarpRegisters>();

  constructor(c: CheckContext, plan: Plan) {
    this.#c = c;
    this.#plan = plan;
  }

  of(warp: Warp): WarpRegisters {
    let known = this.#warps.get(warp);
    if (!known) {
      known = new WarpRegisters(this.#plan.names.length);
      this.#warps.set(warp, known);
    }
    return known;
  }

  forget(warps: readonly Warp[]): void {
    for (const warp of warps) this.#warps.delete(warp);
  }

  step(warp: Warp, step: Executed): void {
    const touches = this.#plan.touches.get(step);
    if (!touches) return;
    const state = this.of(warp);
    for (const { at, reads, writes } of touches) {
      if (!state.underWay.idle) {
        for (const r of reads) this.#checkIdle(warp, state, r, "reads", at);
        for (const r of writes) this.#checkIdle(warp, state, r, "writes", at);
      }
      for (const r of reads) state.read[r] = at;
      for (const r of writes) state.written[r] = at;
    }
  }

  /** Reading A of a product under way does no harm that anybody has seen, but the manual does not allow it. */
  #checkIdle(warp: Warp, state: WarpRegisters, register: number, does: "reads" | "writes", at: number): void {
    for (const product of state.underWay.outstanding) {
      const role = product.role[register];
      if (role === undefined) continue;
      if (role === "A" && does === "reads") this.#c.reports.tolerate(...this.#inUse(warp, register, does, at, product));
      else this.#c.reports.add(...this.#inUse(warp, register, does, at, product));
      return;
    }
  }

  #inUse(warp: Warp, register: number, does: string, at: number, product: Product) {
    const name = this.#plan.names[register] ?? "";
    const args = { kernel: this.#c.program.name, who: warpName(warp), register: name, does };
    return ["W9210", args, at, [{ note: "the wgmma is at", at: product.at }]] as const;
  }

  /** W9216. */
  exit(warp: Warp): void {
    const [product] = this.of(warp).underWay.outstanding;
    if (!product) return;
    const missing = this.of(warp).underWay.committed.length > 0 ? "waited for" : "committed";
    const what = `a wgmma of its warpgroup has not been ${missing}`;
    this.#c.reports.add("W9216", { kernel: this.#c.program.name, who: warpName(warp), what }, product.at);
  }

  issue(warps: readonly Warp[], at: number, accumulates: boolean): void {
    const product = this.#plan.products.get(at);
    if (!product) return;
    for (const warp of warps) {
      const state = this.of(warp);
      const free = this.#checkProducts(warp, state, product);
      if (free) this.#checkFence(warp, state, product, accumulates);
      state.underWay.add(product);
      for (const r of product.d) state.product[r] = product;
    }
  }

  /** Products may follow each other on one accumulator, if they have one shape; and any may read the same A. Gives whether all is well. */
  #checkProducts(warp: Warp, state: WarpRegisters, product: Product): boolean {
    for (const other of state.underWay.outstanding) {
      if (other.kind !== product.kind) {
        const taken = product.d.find((r) => other.role[r] !== undefined);
        if (taken !== undefined) {
          this.#c.reports.add(...this.#inUse(warp, taken, "writes", product.at, other));
          return false;
        }
      }
      const read = product.a.find((r) => other.role[r] === "D");
      if (read !== undefined) {
        this.#c.reports.add(...this.#inUse(warp, read, "reads", product.at, other));
        return false;
      }
    }
    return true;
  }

  #checkFence(warp: Warp, state: WarpRegisters, product: Product, accumulates: boolean): void {
    const { reports, tolerance } = this.#c;
    const wrong = this.#unfenced(state, product, accumulates, false);
    const found = wrong ?? (tolerance === "ignore" ? undefined : this.#unfenced(state, product, true, true));
    if (!found) return;
    const args = { kernel: this.#c.program.name, who: warpName(warp), register: this.#plan.names[found.register] ?? "" };
    const { by } = found;
    const others = by === undefined ? [] : [{ note: "touched at", at: by }];
    if (wrong) reports.add("W9211", args, product.at, others);
    else reports.tolerate("W9211", args, product.at, others);
  }

  /** A register that needs a fence, and the instruction that touched it, if one did. `reads`: by reading it, too, which practice tolerates. */
  #unfenced(state: WarpRegisters, product: Product, accumulates: boolean, reads: boolean): Unfenced | undefined {
    for (const register of [...product.a, ...(accumulates ? product.d : [])]) {
      const [written, read, last] = [state.written[register] ?? -1, state.read[register] ?? -1, state.product[register]];
      if (written >= 0) return { register, by: written };
      if (reads && read >= 0) return { register, by: read };
      if (last && last.kind !== product.kind) return { register, by: last.at };
    }
    return state.fenced ? undefined : { register: product.d[0] ?? 0 };
  }
}

export function wgmmaRegisters(c: CheckContext): Listener {
  const plan = plans.get(c.program) ?? planFor(c.program);
  plans.set(c.program, plan);
  if (plan.products.size === 0) return {};
  const registers = new WgmmaRegisters(c, plan);
  const each = (group: Warpgroup, what: (state: WarpRegisters) => void): void => {
    for (const warp of group.warps) what(registers.of(warp));
  };
  return {
    step: (warp, _mask, step) => registers.step(warp, step),
    wgmmaFence: (warp) => registers.of(warp).fence(),
    wgmmaIssues: (warp, group, product) => registers.issue(group.warps, warp.at, product.scaleD),
    wgmmaCommits: (_warp, group) => each(group, (state) => state.underWay.commit()),
    wgmmaWaits: (warp, _group, allowed) => void registers.of(warp).underWay.wait(allowed),
    exits: (warp) => registers.exit(warp),
    clusterEnds: (cluster) => registers.forget(cluster.warps),
  };
}
