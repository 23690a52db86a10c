/**
 * What a program does, as plain JavaScript: block after block, each thread a generator that stops at barriers and votes. Nothing of the
 * package takes part.
 */
import { type Arithmetic, arithmetic, type Scalar, Undefined } from "./arithmetic.ts";
import { type HostMemory, hostMemory, memoryAccess } from "./memory.ts";
import { hostNames, hostText } from "./print.ts";
import { type Program, product } from "./program.ts";

type Thread = Generator<unknown, void, number | undefined>;
type MakeThread = (...given: readonly unknown[]) => Thread;

interface Ids {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

const [warpSize, mostSteps] = [32, 10_000];

/** The n-th place of an extent, x first. */
function idsOf(n: number, [x = 1, y = 1]: readonly number[]): Ids {
  return { x: n % x, y: Math.floor(n / x) % y, z: Math.floor(n / (x * y)) };
}
const dims = ([x = 1, y = 1, z = 1]: readonly number[]): Ids => ({ x, y, z });

/** Lets every thread run to the next barrier or vote; false when all have ended. */
function step(threads: readonly (Thread | undefined)[], answers: (number | undefined)[], ended: boolean[]): boolean {
  const said = threads.map((thread, t) => {
    if (!thread || ended[t]) return undefined;
    const { done, value } = thread.next(answers[t]);
    ended[t] = done ?? false;
    return done ? undefined : { vote: value };
  });
  const waiting = said.filter((s) => s !== undefined);
  const votes = waiting.filter((s) => s.vote !== undefined).length;
  if (votes !== 0 && (votes !== waiting.length || ended.some(Boolean))) throw new Undefined("not every lane votes");
  said.forEach((_, t) => {
    const first = t - (t % warpSize);
    const lanes = said.slice(first, first + warpSize);
    answers[t] = lanes.reduce((mask, s, lane) => (s?.vote ? (mask | (1 << lane)) >>> 0 : mask), 0);
  });
  return waiting.length > 0;
}

function runBlock(count: number, make: (t: number) => Thread): void {
  const threads = Array.from({ length: count }, (_, t) => make(t));
  const answers: (number | undefined)[] = threads.map(() => undefined);
  const ended = threads.map(() => false);
  for (let steps = 0; step(threads, answers, ended); steps++) if (steps > mostSteps) throw new Undefined("this does not end");
}

export type Contents = Readonly<Record<string, readonly Scalar[]>>;

/** The contents of every tensor after the kernel. `rules`: the arithmetic; another one than the language's only in tests of the harness. */
export function expectedContents(program: Program, before: Contents, rules: Arithmetic = arithmetic): Contents {
  const H = { ...rules, ...memoryAccess };
  const make = new Function(...hostNames(program), hostText(program)) as MakeThread;
  const tensors = new Map<string, HostMemory>();
  for (const { name, type, shape, kind } of program.memories)
    if (kind !== "shared") tensors.set(name, hostMemory(type, shape, [...(before[name] ?? [])]));
  const scalars = program.scalars.map((s) => s.value);
  for (let b = 0; b < product(program.grid); b++) {
    const memories = program.memories.map(({ name, type, shape }) => tensors.get(name) ?? hostMemory(type, shape, []));
    const places = [idsOf(b, program.grid), dims(program.block), dims(program.grid)];
    runBlock(product(program.block), (t) =>
      make(H, ...memories, ...scalars, idsOf(t, program.block), ...places, {
        lane: t % warpSize,
        index: Math.floor(t / warpSize),
      }),
    );
  }
  return Object.fromEntries([...tensors].map(([name, memory]) => [name, memory.data]));
}
