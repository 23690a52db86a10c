/** The two parts of a specialized program, as warpgroups with a role each: one copies, the others compute. */

import { branch, noVariables } from "../../../dsl/control/branch.ts";
import { callMath } from "../../../dsl/math/index.ts";
import { truth } from "../../../dsl/numbers/compare.ts";
import { binary } from "../../../dsl/operators/binary.ts";
import { Pipeline } from "../../../dsl/pipeline/index.ts";
import { namedBarrier } from "../../../dsl/sync/index.ts";
import { threadIdx, warpgroup } from "../../../dsl/threads/index.ts";
import type { TMA } from "../../../dsl/tma/index.ts";
import { own } from "../../../dsl/trace/staged.ts";
import type { Trace } from "../../../dsl/trace/trace.ts";
import type { ThreadTag } from "../../ir/types.ts";
import type { Launch } from "../launch.ts";
import { type Roles, threadsOf } from "../roles/assign-roles.ts";
import type { Memory } from "./memory.ts";
import { ConsumerState, ProducerState } from "./pipeline-state.ts";
import { Emitter, type Role } from "./statement.ts";

/** Threads of a warpgroup, and its warps. */
const threads = 128;
const warps = 4;

/** Registers of a thread that copies and of one that computes, by how many warpgroups compute: as many as a multiprocessor has for all of them. */
const registers: Readonly<Record<number, readonly [few: number, many: number]>> = { 2: [40, 232], 3: [32, 160] };

/** Barriers of the block: where those that compute meet, and where they wait until the pipeline is there. */
const meeting = 1;
const beginning = 15;

const quotient = (a: unknown, b: number): unknown => callMath(Math.trunc as never, [binary("/", a, b)]);

/** An index of a thread among those that compute, in warpgroup `wg` of them. */
function indexIn(launch: Launch, wg: number, tag: ThreadTag): number {
  const [x, y, z] = launch.block;
  const of = (linear: unknown): Readonly<Record<string, unknown>> => ({
    x: binary("%", linear, x),
    y: binary("%", quotient(linear, x), y),
    z: quotient(linear, x * y),
  });
  const axis = tag.slice(-1);
  if (y === 1 && z === 1) return binary("+", binary("*", wg, threads), warpgroup.thread) as number;
  if (x !== threads) return of(binary("+", binary("*", wg, threads), warpgroup.thread))[axis] as number;
  const apart = { x: warpgroup.thread, y: z === 1 ? wg : binary("%", wg, y), z: quotient(wg, y) };
  return apart[axis as "x" | "y" | "z"] as number;
}

/** What is recorded for the parts. */
export interface RolesEmission {
  readonly trace: Trace;
  readonly launch: Launch;
  readonly memory: Memory;
  readonly maps: readonly TMA[];
}

const only = (trace: Trace, condition: unknown, run: () => void): void => {
  const c = truth(condition);
  const yes = (): undefined => void run();
  if (c === true) run();
  else if (c !== false) branch(trace, c, yes, () => undefined, noVariables);
};

/** Records both parts. The warpgroup that copies comes first in the block. */
export function emitRoles({ trace, launch, memory, maps }: RolesEmission, { producer, consumers, stages }: Roles): void {
  const computing = threadsOf(launch);
  const count = computing / threads;
  const pipe = new Pipeline({ stages, consumers: count * warps });
  only(trace, binary("===", threadIdx.x, 0), () => {
    for (const map of maps) map.prefetch();
  });
  pipe.init({ sync: false });
  const started = namedBarrier(beginning, threads + computing);
  const [few, many] = registers[count] ?? [];
  const run = (role: Role, body: typeof producer): void => new Emitter({ trace, launch, memory, role }).whole(body.body);
  const copy = own((): void => {
    started.arrive(); // the thread that copies has made the barriers: it need not wait for anybody
    const role: Role = { stages: new ProducerState(pipe), index: () => 0, meet: () => undefined };
    only(trace, binary("===", warpgroup.thread, 0), () => run(role, producer));
  });
  const compute = own((wg: number): void => {
    started.sync();
    const stages = new ConsumerState(pipe);
    const together = (): void => namedBarrier(meeting, computing).sync();
    run({ stages, index: (tag) => indexIn(launch, wg, tag), meet: together }, consumers);
  });
  warpgroup.specialize({
    producer: { ...(few === undefined ? {} : { registers: few }), run: copy },
    consumer: { ...(many === undefined ? {} : { registers: many }), warpgroups: count, run: compute },
  });
}
