/** Calls of intrinsics: the parts of memory that one gets, what it is told, and which threads make it. */

import { binary } from "../../../dsl/emit.ts";
import { fail } from "../../errors/index.ts";
import type { Access } from "../../facts/accesses.ts";
import { groupFor } from "../../facts/participants.ts";
import { fillsRegisters, intrinsicAccess } from "../../intrinsics/access.ts";
import { intrinsicOf, type Surroundings } from "../../intrinsics/registry.ts";
import { intOf } from "../../ir/build.ts";
import type { Buffer, For, Intrinsic, Region } from "../../ir/types.ts";
import { mentions } from "../../ir/walk.ts";
import type { Indices } from "../storage/memory.ts";
import type { Emission } from "./emission.ts";
import { groupHere, indexHere } from "./threads.ts";

/** Where a call stands. */
export interface CallSite {
  readonly indices: Indices;
  /** All accesses of the part of the program. */
  readonly accesses: readonly Access[];
  /** What the loops around tell it. */
  readonly told: Partial<Surroundings>;
}

/** A call that is ready to be recorded. */
export interface IntrinsicCall {
  /** Whether the thread makes it; undefined: each does. */
  readonly condition: unknown;
  readonly record: () => void;
  /** What is done at the end of the program, where it is recorded. */
  readonly atEnd: (() => void) | undefined;
}

/** Does another statement touch what this one writes to global memory, or the same one again in a loop? */
function isShared(s: Intrinsic, how: readonly { readonly writes: boolean }[], all: readonly Access[]): boolean {
  const written = s.args.filter(({ buffer }, n) => how[n]?.writes && buffer.scope === "global");
  return written.some(({ buffer, ranges }) => {
    const accesses = all.filter((a) => a.buffer === buffer);
    const again = (l: For): boolean => !ranges.some((r) => mentions(r.min, new Set([l.variable]))) && intOf(l.extent) !== 1;
    return accesses.some((a) => a.by !== s || a.reads || a.loops.some(again));
  });
}

/** The call that a statement is. W5603. */
export function intrinsicCall(s: Intrinsic, on: Emission, { indices, accesses, told }: CallSite): IntrinsicCall {
  const spans = s.span ? [s.span] : undefined;
  const called = intrinsicOf(s.name, spans);
  const { description, implementation, maps, takesStages } = called;
  const { params } = description;
  if (params.length !== s.args.length) fail("W5603", { name: s.name, wanted: params.length, given: s.args.length }, spans);
  const { first, outer } = groupFor(called, on.launch, spans);
  const staged = (region: Region, param: Buffer | undefined): boolean =>
    takesStages === true && region.buffer.scope === "shared" && region.ranges.length - (param?.shape.length ?? 0) === 1;
  const record = (): void => {
    const access = intrinsicAccess(s);
    const parts = s.args.map((region, n) => {
      const param = params[n];
      const how = { request: param && maps?.[param.name], staged: staged(region, param) };
      return param && on.memory.part(s, region, param, access[n]?.writes ?? true, indices, how);
    });
    const stages = s.args.map((region, n) =>
      region.ranges[0] && staged(region, params[n]) ? (indices.value(region.ranges[0].min) as number) : undefined,
    );
    const own = {
      barrier: on.role?.stages.barrier,
      stages,
      scratch: on.memory.scratch(s.name, () => groupHere(outer, on)),
      shared: isShared(s, access, accesses),
    };
    // What the intrinsic takes is its own; `check-intrinsic.ts` has compared it.
    implementation(...(parts as never[]), { wait: 0, ...own, ...on.surroundings, ...told } satisfies Surroundings);
  };
  const condition = first && !fillsRegisters(s) ? binary("<", indexHere(first.tag, on), first.below) : undefined;
  return { condition, record, atEnd: called.atEnd };
}
