/** Where the buffers of a program live in the kernel: tensors, shared memory, registers. */
import { fail } from "../../../diag/index.ts";
import type { SharedView, Tensor } from "../../../dsl/memory/index.ts";
import type { TMA } from "../../../dsl/tma/index.ts";
import type { Accumulator } from "../../../dsl/wgmma/index.ts";
import type { MappedPart, MapRequest, RegisterTile } from "../../intrinsics/registry.ts";
import { intOf, one } from "../../ir/build.ts";
import type { Buffer, Expr, Intrinsic, Region } from "../../ir/types.ts";
import { staticShape } from "../../ir/walk.ts";
import { mapKey } from "../tensor-maps.ts";
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
  if (buffer.scope !== "wgmma.accumulator" || writes || !sameRows || typeof last !== "number" || count === undefined)
    return undefined;
  const start = last % columns;
  if (start + count > columns) return undefined;
  const whole = slots.at([...begins.slice(0, -1), last - start]);
  return { value: (whole.value as Accumulator).columns(start, count) };
}

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
    value: (e: Expr) => unknown,
    { request, staged = false }: { readonly request?: MapRequest | undefined; readonly staged?: boolean } = {},
  ): unknown | Cell {
    const home = this.of(buffer);
    const begins = ranges.map((r) => value(r.min));
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
    if (home instanceof Slots)
      return partOf(home, begins, extents, writes) ?? refuse(`it is taken [${home.tile.join(", ")}] at a time`);
    if (request) {
      const map = this.#maps.get(buffer)?.get(mapKey(request));
      if (!map) return refuse("TMA takes parameters of the program alone");
      return { map, coords: begins.toReversed() as number[] } satisfies MappedPart;
    }
    if (staged && outer === 1) {
      const stages = intOf(buffer.shape[0] ?? one) ?? 1;
      return (home as SharedView).subview([0, ...(begins.slice(1) as number[])], [stages, ...shape]);
    }
    const inner = outer === 0 ? home : home.at(...(begins.slice(0, outer) as number[]));
    return (inner as Tensor).subview(begins.slice(outer) as number[], shape);
  }
}
