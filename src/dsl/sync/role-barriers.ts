/** `syncThreads()` in some of the roles of `warpgroup.specialize`: it waits for the threads of the others, too. R2002. */
import { makeRemark, type Remark, type Spans } from "../../base/diag/index.ts";
import { saveLength } from "../trace/journal.ts";
import { isPartitioned, runningHere } from "../trace/partition.ts";
import type { Trace } from "../trace/trace.ts";

/** A barrier of the whole block in a role, which begins at that warpgroup. */
interface RoleBarrier {
  readonly first: number;
  readonly spans: Spans;
}

const noted = { make: (): RoleBarrier[] => [], save: saveLength };
const remarks = { make: (): Remark[] => [], save: saveLength };

/** A barrier of the whole block is traced. */
export function noteBlockBarrier(trace: Trace): void {
  if (isPartitioned(trace)) trace.state(noted).push({ first: runningHere(trace).first, spans: trace.spans() });
}

const quoted = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

/** All roles have been traced. */
export function judgeBlockBarriers(
  trace: Trace,
  roles: readonly { readonly name: string; readonly first: number; readonly count: number }[],
): void {
  const barriers = trace.state(noted);
  const [one] = barriers;
  const calls = ({ first }: { readonly first: number }): boolean => barriers.some((barrier) => barrier.first === first);
  const others = roles.filter((role) => !calls(role));
  if (!one || others.length === 0) return;
  const own = roles.filter(calls);
  const count = own.reduce((sum, role) => sum + role.count, 0);
  const among = count === 1 ? "warpgroup.sync()" : `namedBarrier(1, ${128 * count}).sync()`;
  const message = `This barrier is for all threads of the block, and the role ${quoted(others.map(({ name }) => name))} does not come to it: ${quoted(own.map(({ name }) => name))} goes on only when those threads have left the kernel, and never if they wait for it.`;
  const advice = `let the threads that come here alone meet: \`${among}\``;
  trace.state(remarks).push(makeRemark("R2002", message, advice, one.spans));
}

/** Called where the kernel's body has been traced. */
export const barrierRemarks = (trace: Trace): readonly Remark[] => trace.state(remarks);
