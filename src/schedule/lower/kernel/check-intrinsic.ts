/** Whether the two sides of an intrinsic mean the same: both run on numbers, and are compared. */

import { refuseMore } from "../../../base/diag/index.ts";
import { elementBytes } from "../../../base/element-types.ts";
import type { DType } from "../../../base/types.ts";
import type { LaunchConfig } from "../../../kernel/index.ts";
import { fail } from "../../errors/index.ts";
import { intrinsicAccess } from "../../intrinsics/access.ts";
import { intrinsicOf, type TensorIntrinsic, tensorIntrinsics } from "../../intrinsics/registry.ts";
import { int, load, loop, seq, variable } from "../../ir/build.ts";
import { type FlatArray, interpret } from "../../ir/interpret.ts";
import type { Buffer, Expr, Intrinsic, Program, Region, Stmt } from "../../ir/types.ts";
import { staticShape } from "../../ir/walk.ts";
import { specsOf } from "../tensors/specs.ts";
import { programKernel } from "./program-kernel.ts";

type Device = NonNullable<LaunchConfig["device"]>;

const inMemory = ({ scope }: Buffer): boolean => scope === "global" || scope === "shared";
const alike = (a: Buffer | undefined, b: Buffer): boolean =>
  a?.scope === b.scope && a.dtype === b.dtype && String(staticShape(a)) === String(staticShape(b));

/** The intrinsic that brings memory into registers like these (or `back`: the other way). */
function mover(all: readonly TensorIntrinsic[], tile: Buffer, back: boolean): TensorIntrinsic | undefined {
  return all.find(({ description: { params } }) => {
    const [from, to] = params;
    const [held, other] = back ? [from, to] : [to, from];
    return params.length === 2 && other !== undefined && inMemory(other) && alike(held, tile);
  });
}
/** The one that gives registers like these a value without memory. */
const filler = (all: readonly TensorIntrinsic[], tile: Buffer): TensorIntrinsic | undefined =>
  all.find(({ description: { params } }) => params.length === 1 && alike(params[0], tile));

const whole = (buffer: Buffer): Region => ({
  buffer,
  ranges: buffer.shape.map((extent) => ({ min: int(0), extent })),
});
const call = (name: string, ...buffers: readonly Buffer[]): Intrinsic => ({ kind: "intrinsic", name, args: buffers.map(whole) });

/** TMA takes rows that begin at multiples of so many bytes. */
const granularity = 16;

/** About two thirds of the rows and columns of a part, so that the rest of it lies beyond its buffer. */
function cutShort(part: Buffer): Buffer {
  const shape = staticShape(part) ?? [];
  const left = shape.map((n, d) => {
    const step = d === shape.length - 1 ? granularity / elementBytes[part.dtype] : 1;
    return n - Math.min(Math.ceil(n / 3 / step) * step, Math.max(0, n - step));
  });
  return { ...part, shape: left.map(int) };
}

/** `to[…] = from[…]`, element by element. */
function copy(from: Buffer, to: Buffer): Stmt {
  const indices = to.shape.map((_, d) => variable(`i${d}`));
  const body: Stmt = { kind: "store", buffer: to, indices, value: load(from, indices as readonly Expr[]) };
  return indices.reduceRight<Stmt>((inner, v, d) => loop(v, to.shape[d] ?? int(1), inner), body);
}

/** A program that brings numbers to where an intrinsic takes them, runs it, and brings its results back. */
class Harness {
  readonly params: Buffer[] = [];
  readonly buffers: Buffer[] = [];
  readonly before: Stmt[] = [];
  readonly after: Stmt[] = [];
  readonly all: readonly TensorIntrinsic[];
  /** Parts that may reach beyond their buffers do. */
  readonly #cut: boolean;

  constructor(all: readonly TensorIntrinsic[], cut: boolean) {
    this.all = all;
    this.#cut = cut;
  }

  #global(like: Buffer, name: string): Buffer {
    const { dtype, shape } = like;
    const made: Buffer = { name, dtype, shape, scope: "global" };
    this.params.push(made);
    return made;
  }
  #own(like: Buffer, name: string): Buffer {
    const made = { ...like, name };
    this.buffers.push(made);
    return made;
  }

  /** A part of memory for a mover of registers, with numbers or for results. */
  #beside(like: Buffer | undefined, name: string, results: boolean): Buffer {
    if (!like || like.scope === "global") return this.#global(like ?? { name, dtype: "f32", shape: [], scope: "global" }, name);
    const [outside, inside] = [this.#global(like, name), this.#own(like, `${name}_shared`)];
    (results ? this.after : this.before).push(results ? copy(inside, outside) : copy(outside, inside));
    return inside;
  }

  add(param: Buffer, reads: boolean, writes: boolean): Buffer {
    if (param.scope === "global") return this.#global(this.#cut && param.clipped ? cutShort(param) : param, param.name);
    const here = this.#own(param, `${param.name}_here`);
    if (param.scope === "shared") {
      const outside = this.#global(param, param.name);
      this.before.push(copy(outside, here));
      if (writes) this.after.push(copy(here, outside));
      return here;
    }
    const loads = reads ? mover(this.all, param, false) : undefined;
    const fills = reads && !loads ? filler(this.all, param) : undefined;
    if (loads) this.before.push(call(loads.name, this.#beside(loads.description.params[0], param.name, false), here));
    if (fills) this.before.push(call(fills.name, here));
    const stores = writes ? mover(this.all, param, true) : undefined;
    if (stores) {
      const results: Stmt[] = this.after.splice(0);
      const target = this.#beside(stores.description.params[1], `${param.name}_out`, true);
      this.after.unshift(call(stores.name, here, target));
      for (const result of results) this.after.push(result);
    }
    return here;
  }
}

/**
 * The program that shows what an intrinsic does. What only registers hold is brought there and back by others for the same registers. With `cut` the parts
 * that may reach beyond their buffers do.
 */
export function harnessOf({ name, description, beside = tensorIntrinsics() }: TensorIntrinsic, cut = false): Program {
  const harness = new Harness(
    beside.map((other) => intrinsicOf(other)),
    cut,
  );
  const probe = call(name, ...description.params);
  const how = intrinsicAccess(probe);
  const args = description.params.map((p, n) => harness.add(p, how[n]?.reads ?? true, how[n]?.writes ?? true));
  const untouched = harness.after.length === 0 && !description.params.some((p, n) => p.scope === "global" && how[n]?.writes);
  const onlyRegisters = args.find((b, n) => how[n]?.writes && !inMemory(b));
  if (untouched && onlyRegisters) throwAway(harness, onlyRegisters);
  const parts = args.map((buffer, n): Region => ({ ...whole(description.params[n] ?? buffer), buffer }));
  const body = seq(...harness.before, { kind: "intrinsic", name, args: parts }, ...harness.after);
  return { name: `check_${name}`, params: harness.params, sizes: [], buffers: harness.buffers, body };
}

/** Operands of a product cannot be stored: the product with them is. */
function throwAway(harness: Harness, tile: Buffer): void {
  const product = harness.all.find(
    ({ description: { params } }) => params.length === 3 && params.slice(0, 2).some((p) => alike(p, tile)),
  );
  if (!product) return;
  const { params } = product.description;
  const args = params.map((p, n) => (alike(p, tile) && n < 2 ? tile : harness.add(p, true, n === 2)));
  harness.after.unshift(call(product.name, ...args));
}

/** Small whole numbers: exact in every type, and so are sums of their products. */
const numbers = (n: number, seed: number): readonly number[] =>
  Array.from({ length: n }, (_, i) => ((i * 5 + seed * 11 + (i >> 4) * 3) % 7) - 3);

const flat = (dtype: DType, data: readonly number[]): FlatArray =>
  dtype === "i32" ? Int32Array.from(data) : dtype === "i8" ? Int8Array.from(data) : Float32Array.from(data);

/**
 * Runs the description and the implementation of an intrinsic on the same numbers and compares what they give; of one that takes parts which may reach
 * beyond their buffers once more with such parts. W5592, W5605.
 */
export async function checkIntrinsic(name: string, device: Device): Promise<void> {
  refuseMore(checkIntrinsic, arguments);
  const intrinsic = intrinsicOf(name);
  await compare(name, harnessOf(intrinsic), device);
  if (intrinsic.description.params.some((p) => p.clipped)) await compare(name, harnessOf(intrinsic, true), device);
}

async function compare(name: string, program: Program, device: Device): Promise<void> {
  const data = program.params.map((b, n) =>
    numbers(
      (staticShape(b) ?? []).reduce((x, y) => x * y, 1),
      n,
    ),
  );
  const wanted = Object.fromEntries(program.params.map((b, n) => [b.name, flat(b.dtype, data[n] ?? [])]));
  interpret(program, wanted, { intrinsics: (n) => intrinsicOf(n).description });
  const tensors = specsOf(program).map(({ dtype, shape }, n) => device.tensor(dtype, shape, (data[n] ?? []) as readonly never[]));
  try {
    programKernel(program).launch({}, ...tensors);
    for (const [n, buffer] of program.params.entries()) {
      const got = (await tensors[n]?.read()) as ArrayLike<number> | undefined;
      const expected = wanted[buffer.name];
      const wrong = expected?.findIndex((x, i) => x !== got?.[i]) ?? -1;
      if (expected && wrong >= 0)
        fail("W5605", { name, at: `${buffer.name}[${wrong}]`, kernel: String(got?.[wrong]), program: String(expected[wrong]) });
    }
  } finally {
    for (const tensor of tensors) tensor.dispose();
  }
}
