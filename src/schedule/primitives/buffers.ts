/** Steps that change where a buffer lives or how it lies there, and nothing that is computed. */

import { nearest } from "../../base/diag/index.ts";
import { readsOnlyFresh, touches } from "../facts/depends.ts";
import { knownIn } from "../ir/known.ts";
import { type Buffer, type Program, type Scope, type Stmt, scopes } from "../ir/types.ts";
import { pathTo, replaceBuffer, statements } from "../ir/walk.ts";
import { refuse, type Step } from "./find.ts";
import { sharedLoops } from "./nest.ts";

/** The buffer of that name that the program allocates. */
export function allocated(p: Program, name: string, step: Step): Buffer {
  const found = p.buffers.find((b) => b.name === name);
  if (found) return found;
  const param = p.params.find((b) => b.name === name);
  if (param)
    return refuse(
      step,
      "W5526",
      { step: step.name, why: `${name} is a parameter of the program and lies in global memory` },
      param.span,
    );
  const names = p.buffers.map((b) => b.name);
  return refuse(step, "W5520", { what: "buffer that it allocates named", name, nearest: nearest(name, names) ?? undefined });
}

/** The program with another buffer for one that it allocates. */
const withBuffer = (p: Program, old: Buffer, by: Buffer): Program => ({
  ...p,
  buffers: p.buffers.map((b) => (b === old ? by : b)),
  body: replaceBuffer(p.body, old, by),
});

/** Puts elements in after each row of a buffer in shared memory, so that rows begin in other banks. */
export function storageAlign(p: Program, name: string, padding: number, step: Step): Program {
  const old = allocated(p, name, step);
  const bad = (why: string): never => refuse(step, "W5526", { step: step.name, why }, old.span);
  if (old.scope !== "shared") bad(`${name} lies in ${old.scope}, and only rows of shared memory are padded`);
  if (!Number.isSafeInteger(padding) || padding < 0) bad(`a padding is a number of elements from 0 on, not ${padding}`);
  if (old.swizzle) bad(`${name} is swizzled by ${old.swizzle}, which takes rows without padding`);
  const { padding: _, ...rest } = old;
  return withBuffer(p, old, padding === 0 ? rest : { ...rest, padding });
}

const swizzles: readonly unknown[] = ["xor", "32B", "64B", "128B"] satisfies Buffer["swizzle"][];

/** Permutes the 16-byte units of the rows of a buffer in shared memory. */
export function storageSwizzle(p: Program, name: string, swizzle: NonNullable<Buffer["swizzle"]>, step: Step): Program {
  const old = allocated(p, name, step);
  const bad = (why: string): never => refuse(step, "W5526", { step: step.name, why }, old.span);
  if (old.scope !== "shared") bad(`${name} lies in ${old.scope}, and only rows of shared memory are permuted`);
  if (!swizzles.includes(swizzle)) bad(`a swizzle is ${swizzles.join(", ")}, not ${String(swizzle)}`);
  if (old.padding) bad(`${name} has a padding of ${old.padding}, and a swizzle takes rows without one`);
  return withBuffer(p, old, { ...old, swizzle });
}

/** The outermost loop around some accesses of a buffer whose iterations do not share the scope: each has a buffer of its own there. */
function apart(
  p: Program,
  b: Buffer,
  scope: Scope,
): { readonly way: readonly Stmt[]; readonly loop: Stmt & { kind: "for" } } | undefined {
  for (const s of statements(p.body)) {
    if (s.kind !== "for" || s.loop === "serial" || s.loop === "unroll" || s.loop === "vectorize" || !touches(s, b)) continue;
    const way = pathTo(p.body, (x) => x === s) ?? [];
    if (!sharedLoops(way, scope).has(s.variable)) return { way, loop: s };
  }
  return undefined;
}

/** Lets a buffer live elsewhere. Padding and swizzle stay where they were: with shared memory. */
export function setScope(p: Program, name: string, scope: Scope, step: Step): Program {
  const old = allocated(p, name, step);
  if (!scopes.includes(scope)) refuse(step, "W5526", { step: step.name, why: `'${scope}' is no scope` });
  const { padding: _, swizzle: __, ...rest } = old;
  checkSeen(p, old, scope, step);
  return scope === old.scope ? p : withBuffer(p, old, { ...rest, scope });
}

/** Refuses a scope that a loop's iterations do not share where one of them reads what another one wrote, or something outside of it does. */
function checkSeen(p: Program, b: Buffer, scope: Scope, step: Step): void {
  const found = apart(p, b, scope);
  if (!found) return;
  const { way, loop } = found;
  const all = [...statements(p.body)].filter((s) => (s.kind === "store" || s.kind === "intrinsic") && touches(s, b));
  const outside = all.find((s) => ![...statements(loop)].includes(s));
  const why = `each iteration of '${loop.variable.name}', bound to ${loop.loop}, would have its own ${b.name} in ${scope}`;
  if (outside)
    refuse(
      step,
      "W5526",
      { step: step.name, why: `${why}, and it is used outside of that loop, too` },
      loop.span,
      "span" in outside ? outside.span : undefined,
    );
  const known = knownIn(p, way);
  if (!readsOnlyFresh(loop.body, b, known, sharedLoops(way, scope)))
    refuse(step, "W5526", { step: step.name, why: `${why}, and reads what another iteration wrote` }, loop.span);
}

/** Says that buffers in shared memory whose lives do not meet may lie in the same place. */
export function packShared(p: Program, step: Step): Program {
  if (!p.buffers.some((b) => b.scope === "shared"))
    refuse(step, "W5526", { step: step.name, why: "no buffer of the program lies in shared memory" }, p.span);
  return { ...p, annotations: { ...p.annotations, packShared: true } };
}
