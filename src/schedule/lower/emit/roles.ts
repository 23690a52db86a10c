/** The two parts of a specialized program, as warpgroups with a role each: one copies, the others compute. */

import type { TMA, Trace } from "../../../dsl/emit.ts";
import {
  binary,
  branch,
  callMath,
  type NamedBarrier,
  namedBarrier,
  noVariables,
  own,
  Pipeline,
  threadIdx,
  truth,
  warpgroup,
} from "../../../dsl/emit.ts";
import { fail } from "../../errors/index.ts";
import type { Launch } from "../../facts/launch.ts";
import type { Block, ThreadTag } from "../../ir/types.ts";
import { type Roles, threadsOf } from "../../roles/assign-roles.ts";
import { registersOfRoles } from "../../roles/registers.ts";
import type { Memory } from "../storage/memory.ts";
import type { Role } from "./emission.ts";
import { ConsumerState, ProducerState, type Turn } from "./pipeline-state.ts";
import { Emitter } from "./statement.ts";

/** Threads of a warpgroup, and its warps. */
const threads = 128;
const warps = 4;

/** Barriers of the block: where those that compute meet, and where they wait until the pipeline is there. */
const meeting = 1;
const beginning = 15;
/** The first of the barriers where warpgroups wait for their turn. Those from 15 down are where a warpgroup meets by itself: dsl/threads/warpgroup-barrier.ts. */
const firstTurn = 2;

const quotient = (a: unknown, b: number): unknown => callMath(Math.trunc, [binary("/", a, b)]);

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

/** Where a warpgroup waits for its turn, and where the next one does: those who pass it on arrive there, and whoever has it meets them. */
function turnOf(wg: number, count: number): Turn {
  const at = (number: unknown): NamedBarrier => namedBarrier(binary("+", number, firstTurn) as number, 2 * threads);
  return { mine: at(wg), next: at(binary("%", binary("+", wg, 1), count)) };
}

/** W5576. */
function refuseMeeting({ span }: Block): never {
  const why =
    "all threads that compute would have to meet, and those of warpgroups that take turns come there at different times";
  return fail("W5576", { loop: "its tiles", why }, span && [span]);
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
export function emitRoles({ trace, launch, memory, maps }: RolesEmission, roles: Roles): void {
  const { producer, consumers, stages, pingpong } = roles;
  const computing = threadsOf(launch);
  const count = computing / threads;
  const pipe = new Pipeline({ stages, consumers: (pingpong > 1 ? 1 : count) * warps });
  only(trace, binary("===", threadIdx.x, 0), () => {
    for (const map of maps) map.prefetch();
  });
  pipe.init({ sync: false });
  const started = namedBarrier(beginning, threads + computing);
  const [few, many] = registersOfRoles[count] ?? [];
  const run = (role: Role, body: typeof producer): void => new Emitter({ trace, launch, memory, role }).whole(body.body);
  const copy = own((): void => {
    started.arrive(); // the thread that copies has made the barriers: it need not wait for anybody
    const role: Role = { stages: new ProducerState(pipe), index: () => 0, meet: () => undefined };
    only(trace, binary("===", warpgroup.thread, 0), () => run(role, producer));
  });
  const compute = own((wg: number): void => {
    started.sync();
    const turn = pingpong > 1 ? turnOf(wg, pingpong) : undefined;
    // The first one may begin.
    only(trace, turn !== undefined && binary("===", wg, pingpong - 1), () => turn?.next.arrive());
    const together = (): void => (turn ? refuseMeeting(consumers) : namedBarrier(meeting, computing).sync());
    const stages = new ConsumerState(pipe, turn);
    run({ stages, index: (tag) => indexIn(launch, wg, tag), meet: together }, consumers);
    // The last turn that was passed on is nobody's.
    only(trace, turn !== undefined && binary("===", wg, 0), () => turn?.mine.sync());
  });
  warpgroup.specialize({
    producer: { ...(few === undefined ? {} : { registers: few }), run: copy },
    consumer: { ...(many === undefined ? {} : { registers: many }), warpgroups: count, run: compute },
  });
}
