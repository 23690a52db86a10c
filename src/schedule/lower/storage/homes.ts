/** The memory of a program while it is traced: a home for each buffer, and the tensor maps of its parameters. */

import type { Tensor, TMA, Trace } from "../../../dsl/emit.ts";
import { intOf } from "../../ir/build.ts";
import type { Buffer, Program, Stmt } from "../../ir/types.ts";
import { statements } from "../../ir/walk.ts";
import { scratchOf } from "../buffers/allocate.ts";
import type { ParameterMap } from "../tensors/tensor-maps.ts";
import { type Home, type Maps, Memory } from "./memory.ts";
import { sharedHomes } from "./shared-homes.ts";
import { Slots } from "./slots.ts";

/** What a kernel's parameters are while it is traced. */
export interface Given {
  readonly tensors: readonly Tensor[];
  /** A map for each of `uses`. */
  readonly maps: readonly TMA[];
  readonly uses: readonly ParameterMap[];
}

/** The most that an intrinsic takes of a register buffer at a time; of one that no intrinsic touches, an element. */
function tileOf(body: Stmt, buffer: Buffer): readonly number[] {
  let tile = buffer.shape.map(() => 1);
  const elements = (extents: readonly number[]): number => extents.reduce((n, x) => n * x, 1);
  for (const s of statements(body)) {
    for (const region of s.kind === "intrinsic" ? s.args : []) {
      if (region.buffer !== buffer) continue;
      const extents = region.ranges.map((r) => intOf(r.extent) ?? 1);
      if (elements(extents) > elements(tile)) tile = extents;
    }
  }
  return tile;
}

function homesOf(trace: Trace, program: Program, tensors: readonly Tensor[]): ReadonlyMap<Buffer, Home> {
  const homes = new Map<Buffer, Home>();
  program.params.forEach((buffer, n) => {
    const tensor = tensors[n];
    if (tensor) homes.set(buffer, tensor);
  });
  const sharedOf = sharedHomes(program);
  for (const buffer of program.buffers) {
    if (buffer.scope !== "shared") homes.set(buffer, new Slots(buffer, tileOf(program.body, buffer)));
    else {
      const span = buffer.span ?? program.span;
      const named = span && { ...span, binds: buffer.name };
      homes.set(
        buffer,
        trace.at(named, () => sharedOf(buffer)),
      );
    }
  }
  return homes;
}

/** The maps that a kernel got, by the parameters that they are of. */
function mapsByBuffer(program: Program, uses: readonly ParameterMap[], given: readonly TMA[]): Maps {
  const maps = new Map<Buffer, Map<string, TMA>>();
  uses.forEach(({ parameter, key }, n) => {
    const [buffer, map] = [program.params[parameter], given[n]];
    if (buffer && map) maps.set(buffer, (maps.get(buffer) ?? new Map<string, TMA>()).set(key, map));
  });
  return maps;
}

/** The memory of a program with these parameters. */
export const memoryOf = (trace: Trace, program: Program, { tensors, maps, uses }: Given): Memory =>
  new Memory(homesOf(trace, program, tensors), mapsByBuffer(program, uses, maps), (name) => scratchOf(program, name));
