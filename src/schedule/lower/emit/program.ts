/** A lowered program as the body of a kernel: run while tracing, it records what the program does. */

import type { SharedView, Tensor } from "../../../dsl/memory/index.ts";
import { sharedMemory } from "../../../dsl/memory/index.ts";
import { SwizzledSharedLayout } from "../../../dsl/tiles/index.ts";
import type { Trace } from "../../../dsl/trace/trace.ts";
import { elementBytes } from "../../../tensor-map.ts";
import { intOf } from "../../ir/build.ts";
import type { Buffer, Program, Stmt } from "../../ir/types.ts";
import { statements, staticShape } from "../../ir/walk.ts";
import type { Lowered } from "../lower-program.ts";
import { type Home, Memory } from "./memory.ts";
import { Slots } from "./slots.ts";
import { Emitter } from "./statement.ts";

/** A shared buffer, laid out as it says. */
function sharedOf({ padding = 0, swizzle, dtype, ...buffer }: Buffer): SharedView {
  const shape = staticShape({ dtype, ...buffer }) ?? [];
  if (padding > 0) {
    const wider = shape.map((n, d) => (d === shape.length - 1 ? n + padding : n));
    return (sharedMemory.alloc(dtype, wider) as SharedView).subview(
      shape.map(() => 0),
      shape,
    );
  }
  if (swizzle !== "xor") return sharedMemory.alloc(dtype, shape, swizzle ? { swizzle } : {});
  // Eight rows one below the other, in the same column, are in eight different 16 bytes of the banks: of short rows several share 128 bytes.
  const perPhase = Math.max(1, Math.floor(128 / ((shape.at(-1) ?? 1) * elementBytes[dtype])));
  const layout = new SwizzledSharedLayout({ vector: 16 / elementBytes[dtype], perPhase, maxPhase: 8 });
  return sharedMemory.alloc(dtype, shape, { layout });
}

/** What an intrinsic takes of a register buffer at a time; of one that no intrinsic touches, an element. */
function tileOf(body: Stmt, buffer: Buffer): readonly number[] {
  for (const s of statements(body)) {
    const region = s.kind === "intrinsic" ? s.args.find((r) => r.buffer === buffer) : undefined;
    if (region) return region.ranges.map((r) => intOf(r.extent) ?? 1);
  }
  return buffer.shape.map(() => 1);
}

function homesOf(trace: Trace, program: Program, tensors: readonly Tensor[]): ReadonlyMap<Buffer, Home> {
  const homes = new Map<Buffer, Home>();
  program.params.forEach((buffer, n) => {
    const tensor = tensors[n];
    if (tensor) homes.set(buffer, tensor);
  });
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

/** Records the program with these tensors as its parameters. */
export function emitProgram(trace: Trace, { program, launch }: Lowered, tensors: readonly Tensor[]): void {
  const memory = new Memory(homesOf(trace, program, tensors));
  new Emitter({ trace, launch, memory }).run(program.body);
}
