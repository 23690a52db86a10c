/** Whether what an intrinsic writes to registers may be computed when the next one reads it. */

import type { Access } from "../../facts/accesses.ts";
import { intrinsicAccess } from "../../intrinsics/access.ts";
import { intrinsicOf } from "../../intrinsics/registry.ts";
import { sameRegion } from "../../ir/regions.ts";
import type { Stmt } from "../../ir/types.ts";

/**
 * The first one writes registers that the second takes deferred and that nothing else touches; what it reads of memory the second does not
 * write, but for the same elements.
 */
export function canDefer(first: Stmt, second: Stmt, all: readonly Access[]): boolean {
  if (first.kind !== "intrinsic" || second.kind !== "intrinsic") return false;
  const taken = second.args[intrinsicOf(second.name).takesDeferred ?? -1];
  const [to, ...from] = first.args;
  if (!taken || !to || !sameRegion(taken, to) || from.some((r) => r.buffer === to.buffer)) return false;
  if (all.some((a) => a.buffer === to.buffer && a.by !== first && a.by !== second)) return false;
  const how = intrinsicAccess(second);
  const written = second.args.filter((_, n) => how[n]?.writes);
  return from.every((r) => written.every((w) => w.buffer !== r.buffer || sameRegion(w, r)));
}
