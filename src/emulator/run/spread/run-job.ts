/** What a worker does. Needs nothing of Node: its entry passes messages to it. */
import { RecentlyUsed } from "../../../base/recently-used.ts";
import { DeviceHeap } from "../../machine/heap.ts";
import { GlobalMemory, Region } from "../../machine/memory.ts";
import { createAsyncQueue } from "../../machine/units/index.ts";
import type { Cluster } from "../../machine/warp.ts";
import { loadImage } from "../../program/image.ts";
import { GridRun } from "../grid-run.ts";
import type { LaunchState } from "../launch-state.ts";
import { EmulatorModule, type ModuleSource } from "../module.ts";
import type { Watch, Watcher } from "../watcher.ts";
import { type Job, sendError, type Told } from "./job.ts";
import { Tally } from "./tally.ts";

/** Thrown where a cluster waits for its turn and is given up. */
class GivenUp extends Error {}

/** Kernels that a worker keeps: to make one of them again takes milliseconds. */
const mostModules = 64;

/** Gives who watches in a way that a job names. */
export type WatchNamed = (check: string) => Watch | undefined;

/** What a worker does with a message; `tell` answers. */
export function createWorker(tell: (what: Told) => void, watchNamed: WatchNamed): (message: unknown) => void {
  const modules = new RecentlyUsed<string, EmulatorModule>(mostModules);
  const moduleOf = ({ module: source, check }: Job): EmulatorModule => {
    // Loaded again, a module has its variables elsewhere.
    const key = `${check ?? ""}|${source.options.entry}|${source.variables}\n${source.ptx}`;
    const known = modules.get(key) ?? makeModule(source, check !== undefined);
    modules.set(key, known);
    return known;
  };
  tell({ kind: "ready" });
  return (message) => {
    const job = message as Job;
    runJob(job, moduleOf(job), job.check === undefined ? undefined : watchNamed(job.check), tell);
    tell({ kind: "done" });
  };
}

/** Variables have the addresses that the device has given them, and the values that they have by now. */
function makeModule(source: ModuleSource, watched: boolean): EmulatorModule {
  let next = 0;
  const memory = { allocate: (bytes: number) => new Region("global", source.variables[next++] ?? 0, bytes) };
  const image = loadImage(source.ptx, source.name, memory, source.foreign);
  return new EmulatorModule(image, source.options, { watched, fine: false, ordered: true });
}

/** Runs clusters until there are none left, or one fails. */
function runJob(job: Job, module: EmulatorModule, watch: Watch | undefined, tell: (what: Told) => void): void {
  const tally = new Tally(job.tally);
  let current = -1;
  let printed = "";
  const flush = (): void => {
    if (printed !== "") tell({ kind: "printed", cluster: current, text: printed });
    printed = "";
  };
  try {
    const write = (text: string): void => {
      printed += text;
    };
    const { program } = module;
    const global = new GlobalMemory(job.regions);
    const { grid, block, cluster, memories } = job.launch;
    const regionAt = (base: number): Region | undefined => global.find(base, 1);
    const which = { program, grid, block, cluster, memories, resident: 1 };
    const watcher = watch?.({ ...which, before: undefined, overlaps: false, isThere: () => true, regionAt });
    const run = new GridRun(stateOf(job, module, global, tally, write, watcher), 1, {
      take: () => {
        const taken = tally.take();
        current = taken ?? current;
        return taken;
      },
      ended: (number) => {
        flush();
        tally.end(number);
      },
    });
    const isDone = run.run(() => tally.stopped(current));
    // The thread of the device runs them again, and warns of all in order.
    if (isDone && watcher?.reports && watcher.reports.warnings().length > 0) throw new Error("warned");
    if (isDone && watcher?.apart) tell({ kind: "touched", touched: watcher.apart.touched() });
  } catch (error) {
    if (error instanceof GivenUp) return;
    tally.fail(current);
    flush();
    tell({ kind: "failed", cluster: current, error: sendError(error) });
  }
}

function stateOf(
  job: Job,
  { program }: EmulatorModule,
  global: GlobalMemory,
  tally: Tally,
  write: (text: string) => void,
  watcher: Watcher | undefined,
): LaunchState {
  const never = (): never => {
    throw new TypeError("kernels that read clocks run on one thread");
  };
  return {
    ...job.launch,
    program,
    global,
    params: global.access(job.params, 1),
    console: { write, end: () => {} },
    heap: new DeviceHeap(global, 0),
    clock: never,
    queue: createAsyncQueue(undefined),
    monitor: watcher?.monitor,
    reports: watcher?.reports,
    awaitTurn: ({ number }: Cluster) => {
      if (!tally.awaitTurn(number)) throw new GivenUp();
    },
  };
}
