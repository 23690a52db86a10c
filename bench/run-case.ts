import type { Device } from "warpsmith";
import { Checker, Hang, makeOperands, type Operands, type RowCheck } from "./check.ts";
import { type Arena, entriesFor, ourName, type Rival } from "./contenders.ts";
import { flushed, type Sustained, sustained, warm } from "./measure.ts";
import { check } from "./native/driver.ts";
import { type Torch, torchFlushes } from "./peers/torch-fused.ts";
import { type Management, monitor, noMonitor } from "./power.ts";
import { nameOf, type Problem, teraflops } from "./problem.ts";
import { type Figure, mean, round } from "./stats.ts";

/** Seconds of device time. */
export interface Budget {
  /** For the flushed medians of all contenders together. */
  readonly flushed: number;
  /** For choosing among cublasLt's algorithms. */
  readonly tuning: number;
  readonly warm: number;
  /** Of each contender; none where 0. */
  readonly sustained: number;
}

interface Check extends RowCheck {
  /** Against cuBLAS' whole result, where there is one. */
  readonly whole?: { readonly maxAbs: number; readonly misses: number };
}

/** One case. Times are microseconds per launch, medians. */
export interface CaseRecord extends Omit<Problem, "group"> {
  readonly case: string;
  readonly group: Problem["group"];
  /** Ours, flushed; null where it could not run. */
  readonly us: number | null;
  readonly tflops: number | null;
  /** Flushed. */
  readonly peers: Readonly<Record<string, number>>;
  readonly warm: Readonly<Record<string, number>>;
  readonly sustained: Readonly<Record<string, Sustained>>;
  /** Ours; null where it could not run. */
  readonly correct: boolean | null;
  readonly checks: Readonly<Record<string, Check>>;
  /** While ours was sustained. */
  readonly clockMHz: number | null;
  readonly watts: number | null;
  /** The 10th and 90th of 100 flushed launches, and how many there were. */
  readonly spread: Readonly<Record<string, readonly [p10: number, p90: number, samples: number]>>;
  readonly notes: Readonly<Record<string, string>>;
  /** Who did not take part, and why. */
  readonly skipped: Readonly<Record<string, string>>;
}

const wordOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).split("\n")[0];

interface Lineup {
  readonly rivals: readonly Rival[];
  readonly checks: Readonly<Record<string, Check>>;
  readonly skipped: Readonly<Record<string, string>>;
}

/** Makes, launches and checks everybody; who fails is skipped with a word. */
async function lineUp(device: Device, arena: Arena, problem: Problem, operands: Operands, tuning: number): Promise<Lineup> {
  const rivals: Rival[] = [];
  const checks: Record<string, Check> = {};
  const skipped: Record<string, string> = {};
  using checker = new Checker(device, problem, operands);
  await device.sync();
  const haveWhole = new Set<string>();
  for (const [name, make] of entriesFor(arena, problem, operands, tuning).toSorted(cublasFirst)) {
    try {
      const rival = await make();
      const rows = await checker.rows(rival.launch, rival.work);
      const whole = haveWhole.has(rival.work) ? { whole: await checker.whole() } : {};
      checks[name] = { ...rows, ...whole };
      if (rows.pass && name.startsWith("cublas") && !haveWhole.has(rival.work) && rival.work === problem.work) {
        keep(arena, operands);
        haveWhole.add(rival.work);
      }
      rivals.push(rival);
    } catch (error) {
      if (error instanceof Hang) throw new Hang(`${name}: ${error.message}`);
      skipped[name] = wordOf(error);
    }
  }
  return { rivals, checks, skipped };
}

/** cuBLAS' result is what the others are compared with. */
const cublasFirst = ([x]: readonly [string, unknown], [y]: readonly [string, unknown]): number =>
  Number(y.startsWith("cublas")) - Number(x.startsWith("cublas"));

function keep({ driver, native, timer }: Arena, { out, expected }: Operands): void {
  const bytes = out.shape[0] * out.shape[1] * 2;
  check(driver.cuMemcpyDtoDAsync_v2(expected.address(), out.address(), bytes, native), "keep a result");
  timer.wait();
}

const medians = (figures: Readonly<Record<string, Figure>>): Record<string, number> =>
  Object.fromEntries(Object.entries(figures).map(([name, { median }]) => [name, median]));

function recordOf(
  problem: Problem,
  lineup: Lineup,
  cold: Readonly<Record<string, Figure>>,
  hot: Readonly<Record<string, Figure>>,
) {
  const { rivals, checks, skipped } = lineup;
  const { [ourName]: us = null, ...peers } = medians(cold) as Record<string, number | null> & Record<string, number>;
  const noted = rivals.flatMap(({ name, note }) => (note === undefined ? [] : [[name, note] as const]));
  return {
    case: nameOf(problem),
    ...problem,
    us,
    tflops: us === null ? null : round(teraflops(problem, us)),
    peers,
    warm: medians(hot),
    correct: us === null ? null : (checks[ourName]?.pass ?? false) && (checks[ourName]?.whole?.misses ?? 0) === 0,
    checks,
    spread: Object.fromEntries(Object.entries(cold).map(([name, f]) => [name, [f.p10, f.p90, f.samples] as const])),
    notes: Object.fromEntries(noted),
    skipped,
  };
}

/** What PyTorch took, before and after us. */
type Torches = readonly Readonly<Record<string, number>>[];

/** With PyTorch's medians, the mean of both times, beside those of this process. */
function withTorch(record: Omit<CaseRecord, "sustained" | "clockMHz" | "watts">, times: Torches, torch: Torch | string) {
  if (typeof torch === "string") return { ...record, skipped: { ...record.skipped, torch } };
  const names = Object.keys(times[0] ?? {});
  const us = names.map((name) => [name, round(mean(times.map((each) => each[name] ?? Number.NaN)), 5)] as const);
  const notes = names.map((name) => [
    name,
    times.map((each) => `${round(each[name] ?? Number.NaN)} µs`).join(" before, ") + " after",
  ]);
  return {
    ...record,
    peers: { ...record.peers, ...Object.fromEntries(us) },
    notes: { ...record.notes, ...Object.fromEntries(notes), torch: torch.version },
    skipped: { ...record.skipped, ...torch.skipped },
  };
}

/** What a case is run with, beside its arena. */
export interface Surroundings {
  readonly budget: Budget;
  readonly management: Management | string;
  /** For fused cases in f16. */
  readonly torch?: Torch | string | undefined;
}

/** Checks and measures one case. */
export async function runCase(
  device: Device,
  arena: Arena,
  problem: Problem,
  { budget, management, torch }: Surroundings,
): Promise<CaseRecord> {
  using operands = await makeOperands(device, problem);
  await device.sync();
  const lineup = await lineUp(device, arena, problem, operands, budget.tuning);
  const { rivals } = lineup;
  try {
    const { timer } = arena;
    const any = rivals.length > 0;
    const askTorch = async () => (typeof torch === "object" ? [await torch.measure(budget.flushed / 2)] : []);
    const before = await askTorch();
    // PyTorch, whose host is slower, overwrites the cache so often before each launch.
    const flushes = typeof torch === "object" ? torchFlushes : 1;
    const cold = any ? flushed(timer, rivals, budget.flushed, { flushes }) : {};
    const times = [...before, ...(await askTorch())];
    const hot = any && budget.warm > 0 ? warm(timer, rivals, budget.warm) : {};
    const monitorOf = () => (typeof management === "string" ? noMonitor : monitor(management));
    const long = any && budget.sustained > 0 ? sustained(timer, rivals, budget.sustained, monitorOf) : {};
    const mine = long[ourName];
    const record = recordOf(problem, lineup, cold, hot);
    return {
      ...(torch === undefined ? record : withTorch(record, times, torch)),
      sustained: long,
      clockMHz: mine?.clockMHz ?? null,
      watts: mine?.watts ?? null,
    };
  } finally {
    arena.timer.settle();
    for (const rival of rivals) rival.free?.();
  }
}
