// Products by schedules beside cublasLt, at one size: who takes part, who is right, and how long each takes.
import type { Device, Stream } from "warpsmith";
import { tensorCorePipeline } from "warpsmith/schedule";
import { type Arena, fastest } from "./contenders.ts";
import { applyKernel, elementwiseWidths } from "./elementwise.ts";
import { type Contender, flushed } from "./measure.ts";
import { mmaGemm, mmaPlanName } from "./mma-sync-kernel.ts";
import { ceilingPlans } from "./mma-sync-plans.ts";
import { type Fusion, nameOf, type Problem, teraflops } from "./problem.ts";
import { ProductRoom, toleranceFor } from "./product-room.ts";
import { ablation, type PathName, pathNames, paths, plansFor, type Result, type SchedulePlan } from "./schedule-plans.ts";
import { programOf } from "./schedule-programs.ts";
import { type Figure, round } from "./stats.ts";

/** What is measured together: one size, one type of result, one thing to compute. */
export interface Task {
  readonly size: number;
  readonly result: Result;
  readonly work: "product" | Fusion;
  /** Paths that take part; "ablation": the steps of the ablation, all of them timed. */
  readonly paths: readonly (PathName | "ablation")[];
  /** Plans of each path that are tried at most. */
  readonly plans: number;
  /** Plans that are left out by name: their kernels have ruined a process. */
  readonly without: readonly string[];
}

/** A case of one path. Times are microseconds, medians with a cold L2 cache; `peers` and `us` of one run, in turns. */
export interface ScheduleCase {
  readonly case: string;
  readonly group: "square" | "fused" | "ablation";
  readonly path: PathName | "ablation";
  readonly dtype: "f16";
  readonly result: Result;
  readonly layout: "nn";
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
  /** What a trial said of each plan; of an ablation the times of all of them. */
  readonly plans: Readonly<Record<string, number>>;
  readonly correct: boolean | null;
  /** |D - reference| / |reference| over the checked rows, in f64. */
  readonly relative: Readonly<Record<string, number>>;
  readonly spread: Readonly<Record<string, readonly [p10: number, p90: number, samples: number]>>;
  readonly notes: Readonly<Record<string, string>>;
  readonly skipped: Readonly<Record<string, string>>;
}

/** Who may take part: one of a team, of which the fastest is timed. */
interface Entrant {
  readonly team: string;
  readonly name: string;
  readonly sum: Result;
  launch(room: ProductRoom, stream: Stream | undefined): void;
}

const wordOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).split("\n")[0];
const at = (stream: Stream | undefined) => (stream ? { stream } : {});

/** The kernel of a plan; it is made when it is first launched. */
function planned(team: string, { name, options, sum = "f32" }: SchedulePlan, { size, result, work }: Task): Entrant {
  let kernel: ReturnType<ReturnType<typeof tensorCorePipeline>["schedule"]["kernel"]> | undefined;
  return {
    ...{ team, name, sum },
    launch: ({ a, b, e, out }, stream) => {
      kernel ??= tensorCorePipeline(programOf(size, work, result, sum), options).schedule.kernel();
      if (work === "product") kernel.launch(at(stream), a, b, out);
      else kernel.launch(at(stream), a, b, e, out);
    },
  };
}

const ceilingOf = (sum: Result): string => (sum === "f32" ? "ceiling" : "ceiling with sums in f16");

/** Everybody of ours in a task, the ceiling among them. Kernels are kept, so that they are made once. */
export class Entrants {
  readonly task: Task;
  readonly all: readonly Entrant[];

  /** `timed`: the ceiling takes part, too. */
  constructor(task: Task, timed: boolean) {
    this.task = task;
    const { size, result, work, without } = task;
    const ours = task.paths.flatMap((path) => {
      const plans = path === "ablation" ? plansFor(ablation, task, ablation.length) : plansFor(paths[path], task, task.plans);
      return plans.map((plan) => planned(path === "ablation" ? `ablation ${plan.name}` : path, plan, task));
    });
    const sums = timed && work === "product" ? [...new Set(ours.map(({ sum }) => sum))] : [];
    const ceilings = sums.flatMap((sum) =>
      ceilingPlans(sum, result)
        .filter(({ tile: [m, n, k] }) => size % m === 0 && size % n === 0 && size % k === 0)
        .map(
          (plan): Entrant => ({
            team: ceilingOf(sum),
            name: `mma.sync by hand, ${mmaPlanName(plan)}${sum === "f16" ? ", sums in f16" : ""}`,
            sum,
            launch: ({ a, b, out }, stream) => mmaGemm.launch(at(stream), a, b, out, plan),
          }),
        ),
    );
    this.all = [...ceilings, ...ours].filter(({ name }) => !without.includes(name));
  }

  /** Launches everybody once, so that nothing is compiled while something is timed. Says before each whose turn it is. */
  async prepare(device: Device, turn: (name: string) => void): Promise<void> {
    using room = new ProductRoom(device, this.task.size, this.task.result, this.task.work);
    for (const entrant of this.all) {
      turn(entrant.name);
      try {
        entrant.launch(room, undefined);
      } catch {
        // It says why when it is checked.
        continue;
      }
      await device.sync();
    }
    for (const width of this.task.work === "product" ? [] : elementwiseWidths)
      applyKernel(this.task.work as Fusion, room.out, room.e, room.out, width);
    await device.sync();
  }
}

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

const problemOf = ({ size, result, work }: Task): Problem => ({
  ...{ dtype: "f16", layout: "nn", m: size, n: size, k: size, work },
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

/** The plans of each team in turns, three rounds; the fastest of each is timed. */
function trials(arena: Arena, right: readonly (Entrant & { run: () => void })[]): Map<string, number> {
  const teams = byTeam(right);
  const contested = [...teams.values()].filter((team) => team.length > 1).flat();
  if (contested.length === 0) return new Map();
  const figures = flushed(
    arena.timer,
    contested.map(({ name, run }) => ({ name, launch: run })),
    0.03,
    { least: 3 },
  );
  return new Map(contested.map(({ name }) => [name, figures[name]?.median ?? Number.POSITIVE_INFINITY]));
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
  using room = new ProductRoom(device, task.size, task.result, task.work);
  await device.sync();
  try {
    const whole = arena ? await peers(arena, room, task, seconds / 2, found) : false;
    const { right, wrong } = await line(entrants, device, arena, room, whole, found);
    const tried = arena ? trials(arena, right) : new Map<string, number>();
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
  const { size, result, work } = task;
  const problem = problemOf(task);
  const own = winners.filter(({ team }) => team === path || (path === "ablation" && team.startsWith("ablation ")));
  const plans =
    path === "ablation"
      ? own.flatMap(({ team, name }) => (figures[team] ? [[name, figures[team].median] as const] : []))
      : [...tried].filter(([name]) => planNames(path).has(name));
  // Of an ablation the last step stands for all.
  const winner = own.at(-1);
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
    ...{ group: path === "ablation" ? "ablation" : work === "product" ? "square" : "fused" },
    ...{ dtype: "f16", result, layout: "nn", m: size, n: size, k: size, work },
    ...{ plan: winner?.name ?? null, sum: winner?.sum ?? null },
    ...{ us, tflops: us === null ? null : round(teraflops(problem, us)) },
    ...{ peers: Object.fromEntries(peers), plans: Object.fromEntries(plans) },
    correct: wrong.has(path) ? false : winner ? true : null,
    relative: ownOf(found.relative),
    spread: Object.fromEntries(Object.entries(ownOf(figures)).map(([name, f]) => [name, [f.p10, f.p90, f.samples] as const])),
    ...{ notes, skipped: ownOf(found.skipped) },
  };
}

const planNames = (path: PathName): ReadonlySet<string> => new Set(paths[path].map(({ name }) => name));
