/** Where the buffers of a program live in the kernel: tensors, shared memory, registers. */

import type { Accumulator, SharedView, Tensor, TMA } from "../../../dsl/emit.ts";
import { fail } from "../../errors/index.ts";
import type { MappedPart, MapRequest, RegisterTile } from "../../intrinsics/registry.ts";
import { intOf, one } from "../../ir/build.ts";
import { sumExpr } from "../../ir/linear.ts";
import { linearOf } from "../../ir/simplify.ts";
import type { Buffer, Expr, Intrinsic, Region } from "../../ir/types.ts";
import { staticShape } from "../../ir/walk.ts";
import { mapKey, restOf } from "../tensors/tensor-maps.ts";
import { type Cell, Slots } from "./slots.ts";

export type Home = Tensor | SharedView | Slots;

/** Tensor maps of the program's parameters, by the parameter and `mapKey`. */
export type Maps = ReadonlyMap<Buffer, ReadonlyMap<string, TMA>>;
/** The cell of a part; of some of the columns of a matrix of a warpgroup, which are only read, these; undefined of another part of a cell. */
function partOf(
  slots: Slots,
  begins: readonly unknown[],
  extents: readonly (number | undefined)[],
  writes: boolean,
): RegisterTile | undefined {
  const { tile, buffer } = slots;
  if (tile.every((n, d) => n === extents[d])) return slots.at(begins);
  const [columns, last, count] = [tile.at(-1) ?? 1, begins.at(-1), extents.at(-1)];
  const sameRows = tile.slice(0, -1).every((n, d) => n === extents[d]);
  if (!buffer.scope.startsWith("wgmma.") || writes || !sameRows || typeof last !== "number" || count === undefined)
    return undefined;
  const start = last % columns;
  if (start + count > columns) return undefined;
  const whole = slots.at([...begins.slice(0, -1), last - start]);
  return { value: (whole.value as Accumulator).columns(start, count) };
}

/** Why a part has not the elements after each row that the description takes with them; undefined where it has. */
function unpadded({ padding = 0 }: Buffer, { buffer, ranges }: Region): string | undefined {
  if (buffer.padding !== padding)
    return `${buffer.padding ?? 0} elements are put in after each of its rows, and the intrinsic fills ${padding}: \`storageAlign("${buffer.name}", ${padding})\``;
  const [last, row] = [ranges.at(-1), buffer.shape.at(-1)];
  const isWhole = last && row && intOf(last.min) === 0 && intOf(last.extent) === intOf(row);
  return isWhole ? undefined : "the part ends within its rows, and the intrinsic also fills what lies behind the part";
}

/** What indices are while the program is recorded. */
export interface Indices {
  /** The index as a value of the kernel, or a number. */
  readonly value: (e: Expr) => unknown;
  /** The index with numbers for the variables that have them. */
  readonly known: (e: Expr) => Expr;
}

/** An index as a sum of what only the GPU knows and so many more. */
interface Step {
  readonly from: Expr;
  readonly further: number;
}
const whole = (e: Expr): Step => ({ from: e, further: 0 });

/** Places of shared memory that differ by a number share what is computed for one of them, and instructions add the rest. */
function apart(e: Expr): Step {
  const sum = linearOf(e, new Map());
  // What is left is not negative for sure: it is a place by itself.
  const natural = [...sum.terms.values()].every(({ factor }) => factor > 0);
  return sum.constant > 0 && sum.terms.size > 0 && natural
    ? { from: sumExpr({ ...sum, constant: 0 }), further: sum.constant }
    : whole(e);
}
/** Rows of shared memory, none of which lies in panels. Of tensors the level below takes indices apart. */
const stepsOf = (buffer: Buffer, indices: readonly Expr[], { known }: Indices): readonly Step[] =>
  indices.map((e) => (isDense(buffer) ? apart(known(e)) : whole(e)));
const isDense = ({ scope, swizzle }: Buffer): boolean => scope === "shared" && (swizzle === undefined || swizzle === "xor");

export class Memory {
  readonly #homes: ReadonlyMap<Buffer, Home>;
  readonly #maps: Maps;

  readonly #scratchOf: (intrinsic: string) => Buffer | undefined;

  constructor(homes: ReadonlyMap<Buffer, Home>, maps: Maps, scratchOf: (intrinsic: string) => Buffer | undefined) {
    this.#homes = homes;
    this.#maps = maps;
    this.#scratchOf = scratchOf;
  }

  of(buffer: Buffer): Home {
    const home = this.#homes.get(buffer);
    if (!home) throw new Error(`${buffer.name} has no place`);
    return home;
  }

  /** The shared memory of an intrinsic's own, of the group of threads of that number. */
  scratch(intrinsic: string, group: () => number): SharedView | undefined {
    const buffer = this.#scratchOf(intrinsic);
    const home = buffer && this.of(buffer);
    return home && !(home instanceof Slots) ? ((home as SharedView).at(group()) as SharedView) : undefined;
  }

  /**
   * What an intrinsic gets of a buffer: a cell, or a view of the shape that its description says; with `request` a place in a tensor map, with
   * `staged` all stages of a buffer that has some. W5602.
   */
  part(
    s: Intrinsic,
    { buffer, ranges }: Region,
    param: Buffer,
    writes: boolean,
    on: Indices,
    { request, staged = false }: { readonly request?: MapRequest | undefined; readonly staged?: boolean } = {},
  ): unknown | Cell {
    const home = this.of(buffer);
    const shape = staticShape(param) ?? [];
    const outer = ranges.length - shape.length;
    const refuse = (why: string): never =>
      fail("W5602", { name: s.name, buffer: buffer.name, why }, s.span ? [s.span] : undefined);
    if (buffer.dtype !== param.dtype) return refuse(`it is of ${buffer.dtype}, and the description takes ${param.dtype}`);
    if (buffer.scope !== param.scope) return refuse(`it lies in ${buffer.scope}, and the description takes ${param.scope}`);
    const extents = ranges.map((r) => intOf(r.extent));
    const wanted = [...Array.from({ length: Math.max(0, outer) }, () => 1), ...shape];
    if (outer < 0 || wanted.some((n, d) => extents[d] !== n))
      return refuse(`it is [${extents.map((n) => n ?? "?").join(", ")}], and the description takes [${shape.join(", ")}]`);
    const { value } = on;
    if (home instanceof Slots)
      return (
        partOf(
          home,
          ranges.map((r) => value(r.min)),
          extents,
          writes,
        ) ?? refuse(`it is taken [${home.tile.join(", ")}] at a time`)
      );
    if (request) {
      const [maps, last] = [this.#maps.get(buffer), restOf(request)];
      const map = maps?.get(mapKey(request));
      if (!map) return refuse("TMA takes parameters of the program alone");
      const coords = ranges.map((r) => value(r.min)).toReversed() as number[];
      return { map, rest: last && maps?.get(mapKey(last)), coords } satisfies MappedPart;
    }
    if (staged && outer === 1) {
      const stages = intOf(buffer.shape[0] ?? one) ?? 1;
      const inStage = ranges.slice(1).map((r) => value(r.min)) as number[];
      return (home as SharedView).subview([0, ...inStage], [stages, ...shape]);
    }
    const chosen = ranges.slice(0, outer).map((r) => value(r.min)) as number[];
    const inner = (outer === 0 ? home : home.at(...chosen)) as SharedView;
    const begins = ranges.slice(outer).map((r) => r.min);
    if (param.padding !== undefined) {
      const why = unpadded(param, { buffer, ranges });
      if (why) return refuse(why);
      return inner.subview(begins.map(value) as number[], [...shape.slice(0, -1), (shape.at(-1) ?? 1) + param.padding]);
    }
    const steps = stepsOf(buffer, begins, on);
    if (steps.every((x) => x.further === 0)) return inner.subview(begins.map(value) as number[], shape);
    const near = inner.subview(
      steps.map((x) => value(x.from) as number),
      shape.map((n, d) => n + (steps[d]?.further ?? 0)),
    );
    return near.subview(
      steps.map((x) => x.further),
      shape,
    );
  }

  /** The place of one element. */
  place(buffer: Buffer, indices: readonly Expr[], on: Indices): unknown {
    const home = this.of(buffer);
    if (home instanceof Slots) throw new Error(`${buffer.name} has no addresses`);
    const { value } = on;
    const last = indices.at(-1);
    const steps = stepsOf(buffer, indices.slice(0, -1), on);
    if (!last || steps.every((x) => x.further === 0)) return home.at(...indices.map((i) => value(i) as number));
    const near = (home as SharedView).subview(
      [...steps.map((x) => value(x.from) as number), 0],
      [...steps.map((x) => x.further + 1), home.shape.at(-1) ?? 1],
    );
    return near.at(...steps.map((x) => x.further), value(last) as number);
  }
}
