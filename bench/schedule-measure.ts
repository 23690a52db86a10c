// Products by schedules beside cublasLt, at one size: who is right, and how long each takes.
import type { Device } from "warpsmith";
import { type Arena, fastest } from "./contenders.ts";
import { applyKernel, elementwiseWidths } from "./elementwise.ts";
import { type Contender, flushed } from "./measure.ts";
import { type Fusion, nameOf, type Problem, teraflops } from "./problem.ts";
import { ProductRoom, toleranceFor } from "./product-room.ts";
import { ceilingOf, type Entrant, type Entrants, isOf, type Task } from "./schedule-entrants.ts";
import { isLadder, type LadderName, type PathName, pathNames, paths, type Result, stepOf } from "./schedule-plans.ts";
import { type Figure, round } from "./stats.ts";

/** A case of one path. Times are microseconds, medians with a cold L2 cache; `peers` and `us` of one run, in turns. */
export interface ScheduleCase {
  readonly case: string;
  readonly group: "square" | "fused" | LadderName;
  readonly path: PathName | LadderName;
  readonly dtype: "f16";
  readonly result: Result;
  readonly layout: Task["layout"];
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly work: Task["work"];
  /** The plan that was fastest when they were tried, and what its products are summed in. */
  readonly plan: string | null;
  readonly sum: Result | null;
  readonly us: number | null;
  readonly tflops: number | null;
  /** "cublasLt", and "ceiling": the best kernel over mma.sync that we know to write, its sums like those of the plan; of fusions "cublasLt + kernel". */
  readonly peers: Readonly<Record<string, number>>;
  /** What a trial said of each plan; of a ladder the times of all its steps, and of other ways to them. */
  readonly plans: Readonly<Record<string, number>>;
  readonly correct: boolean | null;
  /** |D - reference| / |reference| over the checked rows, in f64. */
  readonly relative: Readonly<Record<string, number>>;
  readonly spread: Readonly<Record<string, readonly [p10: number, p90: number, samples: number]>>;
  readonly notes: Readonly<Record<string, string>>;
  readonly skipped: Readonly<Record<string, string>>;
}

const wordOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).split("\n")[0];

/** Somebody who is right, ready to be timed. */
interface Runner extends Contender {
  readonly note?: string;
}

interface Found {
  readonly runners: Runner[];
  readonly notes: Record<string, string>;
  readonly skipped: Record<string, string>;
  readonly relative: Record<string, number>;
  readonly free: (() => void)[];
}

const problemOf = ({ size, result, work, layout }: Task): Problem => ({
  ...{ dtype: "f16", layout, m: size, n: size, k: size, work },
  group: work === "product" ? "square" : "fused",
  ...(result === "f32" ? { result } : {}),
});

/** The best of cublasLt's heuristics for the product, or for relu with its own epilogue; into `expected`. */
function libraryLaunch(arena: Arena, room: ProductRoom, task: Task, way: "product" | "relu", seconds: number, found: Found) {
  if (typeof arena.cublasLt === "string") throw new Error(arena.cublasLt);
  const a = task.work === "relu-input" ? room.positive : room.a;
  const addresses = { a: a.address(), b: room.b.address(), out: room.expected.address(), bias: 0n };
  const { launches, free } = arena.cublasLt.candidates({ ...problemOf(task), work: way }, way, addresses);
  found.free.push(free);
  const { index, tried } = fastest(arena.timer, launches, seconds);
  return { launch: launches[index] as () => void, note: `heuristic ${index + 1} of ${tried}` };
}

/** The kernel over all elements that is fastest, before or behind the product of the library. */
function bestElementwise(arena: Arena, room: ProductRoom, work: Fusion): Runner {
  const [from, to] = work === "relu-input" ? [room.a, room.positive] : [room.expected, room.expected];
  const ways = elementwiseWidths.map((width) => () => applyKernel(work, from, room.e, to, width, arena.stream));
  const { index } = fastest(arena.timer, ways, 0.05);
  return { name: "kernel", launch: ways[index] as () => void, note: `${16 * elementwiseWidths[index]} bytes a thread` };
}

/** cublasLt, and what stands beside it in a fusion; only who is right takes part. */
async function peers(arena: Arena, room: ProductRoom, task: Task, seconds: number, found: Found): Promise<boolean> {
  const tolerance = toleranceFor(task.size, "f32");
  const join = async (name: string, make: () => Runner): Promise<boolean> => {
    try {
      const { launch, note } = make();
      const settled = (): void => {
        launch();
        arena.timer.wait();
      };
      const [correct, relative] = await room.rows(settled, room.expected, tolerance);
      found.relative[name] = relative;
      if (note) found.notes[name] = note;
      if (!correct) throw new Error(`a wrong result: relative error ${relative}`);
      found.runners.push({ name, launch });
      return true;
    } catch (error) {
      found.skipped[name] = wordOf(error);
      return false;
    }
  };
  const { work } = task;
  if (work === "product")
    return join("cublasLt", () => ({ name: "cublasLt", ...libraryLaunch(arena, room, task, "product", seconds, found) }));
  const epilogue =
    work === "relu" &&
    (await join("cublasLt relu", () => ({ name: "", ...libraryLaunch(arena, room, task, "relu", seconds, found) })));
  const both = await join("cublasLt + kernel", () => {
    const product = libraryLaunch(arena, room, task, "product", seconds, found);
    const kernel = bestElementwise(arena, room, work);
    const steps = work === "relu-input" ? [kernel.launch, product.launch] : [product.launch, kernel.launch];
    return { name: "", launch: () => steps.forEach((step) => void step()), note: `${product.note}; kernel: ${kernel.note}` };
  });
  return both || epilogue;
}

/** Checks everybody of ours; of each team the fastest takes part. */
async function line(
  entrants: Entrants,
  device: Device,
  arena: Arena | undefined,
  room: ProductRoom,
  whole: boolean,
  found: Found,
) {
  const { size } = entrants.task;
  const right: (Entrant & { run: () => void })[] = [];
  const wrong = new Set<string>();
  for (const entrant of entrants.all) {
    const run = (): void => entrant.launch(room, arena?.stream);
    const tolerance = toleranceFor(size, entrant.sum);
    try {
      const [pass, relative] = await room.rows(run, room.out, tolerance);
      found.relative[entrant.name] = relative;
      if (pass && (!whole || (await room.whole(tolerance)))) right.push({ ...entrant, run });
      else {
        wrong.add(entrant.team);
        found.skipped[entrant.name] = `a wrong result: relative error ${relative}`;
      }
    } catch (error) {
      found.skipped[entrant.name] = wordOf(error);
      await device.sync();
    }
  }
  return { right, wrong };
}

function byTeam<T extends Entrant>(entrants: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const teams = new Map<string, T[]>();
  for (const entrant of entrants) teams.set(entrant.team, [...(teams.get(entrant.team) ?? []), entrant]);
  return teams;
}

/** Of a team those that are tried for longer: within so much of the fastest, and so many at most. */
const closeToBest = 1.03;
const mostFinalists = 4;

/**
 * The plans of each team in turns, three rounds, and then those that are close to the fastest for as long as they are timed in the end, so that the device is
 * as warm: what takes less power is faster then.
 */
function trials(arena: Arena, right: readonly (Entrant & { run: () => void })[], seconds: number): Map<string, number> {
  const time = (list: readonly (Entrant & { run: () => void })[], budget: number, least: number): void => {
    if (list.length === 0) return;
    const figures = flushed(
      arena.timer,
      list.map(({ name, run }) => ({ name, launch: run })),
      budget,
      { least },
    );
    for (const { name } of list) tried.set(name, figures[name]?.median ?? Number.POSITIVE_INFINITY);
  };
  const tried = new Map<string, number>();
  const contested = [...byTeam(right).values()].filter((team) => team.length > 1);
  time(contested.flat(), 0.03, 3);
  const us = ({ name }: Entrant): number => tried.get(name) ?? Number.POSITIVE_INFINITY;
  const finalists = contested.flatMap((team) => {
    const best = Math.min(...team.map(us));
    const close = team.filter((x) => us(x) < best * closeToBest).toSorted((a, b) => us(a) - us(b));
    return close.length > 1 ? close.slice(0, mostFinalists) : [];
  });
  const first = new Map(tried);
  time(finalists, seconds / 2, 9);
  for (const team of contested) {
    const again = team.filter((x) => finalists.includes(x));
    if (again.length === 0) continue;
    // Those that were out of the final keep their distance to its fastest.
    const scale = Math.min(...again.map(us)) / Math.min(...again.map(({ name }) => first.get(name) ?? 1));
    for (const x of team) if (!again.includes(x)) tried.set(x.name, round(us(x) * Math.max(1, scale)));
  }
  return tried;
}

/** Checks everybody in a task, and times them where there is a clock: a case for each path. */
export async function measureTask(
  entrants: Entrants,
  device: Device,
  arena: Arena | undefined,
  seconds: number,
): Promise<readonly ScheduleCase[]> {
  const { task } = entrants;
  const found: Found = { runners: [], notes: {}, skipped: {}, relative: {}, free: [] };
  using room = new ProductRoom(device, task);
  await device.sync();
  try {
    const whole = arena ? await peers(arena, room, task, seconds / 2, found) : false;
    const { right, wrong } = await line(entrants, device, arena, room, whole, found);
    const tried = arena ? trials(arena, right, seconds) : new Map<string, number>();
    const winners = [...byTeam(right).values()].map((team) =>
      team.reduce((best, x) => ((tried.get(x.name) ?? 0) < (tried.get(best.name) ?? 0) ? x : best)),
    );
    const runners = [...found.runners, ...winners.map(({ team, run }) => ({ name: team, launch: run }))];
    const figures = arena && runners.length > 0 ? flushed(arena.timer, runners, seconds) : {};
    return task.paths.map((path) => caseOf(path, { task, found, winners, wrong, tried, figures }));
  } finally {
    arena?.timer.settle();
    for (const free of found.free) free();
  }
}

interface Outcome {
  readonly task: Task;
  readonly found: Found;
  readonly winners: readonly Entrant[];
  readonly wrong: ReadonlySet<string>;
  readonly tried: ReadonlyMap<string, number>;
  readonly figures: Readonly<Record<string, Figure>>;
}

function caseOf(path: Task["paths"][number], { task, found, winners, wrong, tried, figures }: Outcome): ScheduleCase {
  const { size, result, work, layout } = task;
  const problem = problemOf(task);
  const own = winners.filter(({ team }) => isOf(path, team));
  const plans = isLadder(path)
    ? own.flatMap(({ team, name }) => (figures[team] ? [[name, figures[team].median] as const] : []))
    : [...tried].filter(([name]) => planNames(path).has(name));
  // Of a ladder the last step stands for all.
  const winner = own.findLast(({ name }) => !isLadder(path) || stepOf(name) === undefined);
  const figure = winner && figures[winner.team];
  const peers = new Map<string, number>();
  const notes = { ...found.notes };
  for (const name of ["cublasLt", "cublasLt + kernel", "cublasLt relu"]) {
    const peer = figures[name];
    if (peer) peers.set(name, peer.median);
  }
  const ceiling = winner && figures[ceilingOf(winner.sum)];
  if (ceiling) {
    peers.set("ceiling", ceiling.median);
    notes.ceiling = winners.find(({ team }) => team === ceilingOf(winner.sum))?.name ?? "";
  }
  const us = figure?.median ?? null;
  const others = new Set(pathNames.filter((name) => name !== path).flatMap((name) => [name, ...planNames(name)]));
  /** What is not another path's. */
  const ownOf = <T>(all: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(all).filter(([name]) => !others.has(name)));
  return {
    ...{ case: `${nameOf(problem)} to ${result}, ${path}`, path },
    ...{ group: isLadder(path) ? path : work === "product" ? "square" : "fused" },
    ...{ dtype: "f16", result, layout, m: size, n: size, k: size, work },
    ...{ plan: winner?.name ?? null, sum: winner?.sum ?? null },
    ...{ us, tflops: us === null ? null : round(teraflops(problem, us)) },
    ...{ peers: Object.fromEntries(peers), plans: Object.fromEntries(plans) },
    correct: [...wrong].some((team) => isOf(path, team)) ? false : winner ? true : null,
    relative: ownOf(found.relative),
    spread: Object.fromEntries(Object.entries(ownOf(figures)).map(([name, f]) => [name, [f.p10, f.p90, f.samples] as const])),
    ...{ notes, skipped: ownOf(found.skipped) },
  };
}

const planNames = (path: PathName): ReadonlySet<string> => new Set(paths[path].map(({ name }) => name));
