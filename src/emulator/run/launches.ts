import { atLaunch } from "../../base/diag/index.ts";
import { mapDim3 } from "../../base/dim3.ts";
import type { BackendStream, Launch, ModuleOptions } from "../../runtime/index.ts";
import { createChoices, type Schedule } from "../machine/choices.ts";
import { KernelConsole } from "../machine/console.ts";
import { DeviceHeap } from "../machine/heap.ts";
import type { GlobalMemory, Region } from "../machine/memory.ts";
import { createAsyncQueue, type TextureObjects } from "../machine/units/index.ts";
import type { ProgramOptions } from "../program/operands.ts";
import type { Aftermath, Turn } from "./aftermath.ts";
import { product } from "./check-launch.ts";
import { ControlledScheduler } from "./controlled-scheduler.ts";
import { GridRun } from "./grid-run.ts";
import { launchDefaults as defaults, type LaunchOptions } from "./launch-options.ts";
import { ProgressOf, progressInterval } from "./launch-progress.ts";
import type { LaunchState } from "./launch-state.ts";
import { type EmulatorModule, machine } from "./module.ts";
import { type Job, jobOf } from "./spread/job.ts";
import { usualPatience } from "./spread/prospects.ts";
import { SharedRun } from "./spread/shared-run.ts";
import type { Tally } from "./spread/tally.ts";
import type { Team } from "./spread/team.ts";
import { WatchedRun } from "./spread/watched-run.ts";
import type { StreamPosition, Task } from "./streams.ts";
import type { Watch, Watcher } from "./watcher.ts";

/** What the driver leaves at the beginning of the workspace of a cooperative launch: its bytes, the barrier of the grid, and more. */
const gridWorkspace = Uint32Array.of(16, 0, 1, 0);

/** What the clock goes on by whenever it is read. */
const cyclesPerLook = 32;

/** Blocks that have room on the machine at a time. */
const residentBlocks = (module: EmulatorModule, { block, sharedBytes }: Launch): number =>
  machine.multiprocessors * Math.max(1, module.blocksPerSM(product(block), sharedBytes));

/** A launch that has been issued, with the bytes of its parameters. */
export interface Issued {
  readonly launch: Launch;
  readonly module: EmulatorModule;
  readonly given: readonly Uint8Array[];
  readonly position: StreamPosition;
  readonly stream: BackendStream;
}

/** One that has begun. */
interface Running {
  run(late: () => boolean): boolean | Promise<void>;
  /** It is over, or has failed. Once. */
  end(): void;
}

/** From launches to what runs: how the kernels of a device run, one after the other. */
export class Launches {
  readonly #options: LaunchOptions;
  readonly #memory: GlobalMemory;
  readonly #textures: TextureObjects;
  readonly #team: Team | undefined;
  readonly #schedule: Schedule;
  readonly #watch: Watch;
  /** Whether all launches are watched, also those that do not ask for it. */
  readonly #watched: boolean;
  readonly #heap: DeviceHeap;
  readonly #aftermath: Aftermath;
  #count = 0;
  #clock = 0;

  constructor(
    options: LaunchOptions,
    memory: GlobalMemory,
    textures: TextureObjects,
    team: Team | undefined,
    aftermath: Aftermath,
    { watch, always }: { readonly watch: Watch; readonly always: boolean },
  ) {
    this.#options = options;
    this.#memory = memory;
    this.#textures = textures;
    this.#team = team;
    this.#aftermath = aftermath;
    this.#schedule = options.schedule ?? defaults.schedule;
    this.#watch = watch;
    this.#watched = always;
    this.#heap = new DeviceHeap(memory, options.heapBytes ?? defaults.heapBytes);
  }

  /** Where turns are not always whole, others come between two accesses. */
  making({ profiled = false }: Partial<ModuleOptions> = {}): ProgramOptions {
    return { watched: this.#watched || profiled, fine: !["eager", "lazy", "torn"].includes(this.#schedule as string) };
  }

  /**
   * What a launch has to do when its turn comes: nothing, where it takes memory that a failed one has left in doubt. Memory for parameters is
   * there from the first slice to the last.
   */
  task(issued: Issued): Task {
    const { launch, stream } = issued;
    let running: Running | undefined;
    const run: Task["run"] = (late, number) => {
      const turn: Turn = { ...issued, issued: number };
      if (!running && this.#aftermath.holdsBack(turn)) {
        // Nothing is behind it.
        issued.position.begin();
        return true;
      }
      let isOver = true;
      try {
        running ??= this.#begin(issued);
        const done = running.run(late);
        isOver = done === true;
        if (isOver) running.end();
        return done;
      } catch (error) {
        running?.end();
        issued.position.left = undefined;
        const reason = atLaunch(launch.explain?.() ?? error, launch.spans);
        this.#options.failed?.(reason);
        this.#aftermath.failed(turn, reason);
        return true;
      } finally {
        if (isOver) launch.turn?.end();
      }
    };
    return { run, stream };
  }

  #begin({ launch, module, given, position }: Issued): Running {
    launch.turn?.begin();
    const watcher = this.#watcherOf(launch, module, position);
    const run = this.#start(launch, module, given, watcher);
    const now = this.#spread(run, module, watcher);
    const { progress: tell } = this.#options;
    const progress = tell && new ProgressOf(tell, run.launch, run.total, now);
    let ended = false;
    return {
      run: (late) => (progress ? progress.slice(() => now.run(late)) : now.run(late)),
      end: () => {
        if (ended) return;
        ended = true;
        watcher?.end();
        const warned = launch.warned ?? this.#options.warned;
        for (const warning of watcher?.reports?.warnings() ?? []) warned?.(atLaunch(warning, launch.spans));
        progress?.end();
        this.#memory.free(run.launch.params.base);
        this.#memory.free(run.launch.workspace);
        run.launch.console.end();
      },
    };
  }

  /** Over worker threads, where that is allowed and will pay. */
  #spread(run: GridRun, { source }: EmulatorModule, watcher: Watcher | undefined): GridRun | SharedRun | WatchedRun {
    const team = this.#team;
    if (!team || run.total === 1 || run.launch.workspace !== 0 || (watcher && !watcher.apart)) return run;
    const patience = this.#options.patience ?? usualPatience;
    const apart = watcher?.apart;
    const leave = (tally: Tally): Job => jobOf(run.launch, source, this.#memory.share(), tally, apart?.check);
    const interval = this.#options.progress && progressInterval;
    if (apart) return new WatchedRun(run, team, patience, apart, this.#memory, leave, interval);
    return new SharedRun(run, team, patience, leave, interval);
  }

  #watcherOf(launch: Launch, module: EmulatorModule, position: StreamPosition): Watcher | undefined {
    const { grid, block, cluster, overlapPrevious, memories, profile, marks } = launch;
    const { program } = module;
    const before = position.begin();
    // What kernels leave for the host, one after the other, is nothing to hold against them.
    const isThere = (region: Region): boolean => !region.ofHost && this.#memory.find(region.base, 1) === region;
    const regionAt = (base: number): Region | undefined => this.#memory.find(base, 1);
    const resident = Math.max(1, Math.floor(residentBlocks(module, launch) / product(cluster)));
    const which = { program, grid, block, cluster, memories, resident, profile, marks };
    const watcher = this.#watch({ ...which, before, overlaps: overlapPrevious, isThere, regionAt });
    position.left = watcher?.left;
    return watcher;
  }

  #workspace(): number {
    const region = this.#memory.allocate(gridWorkspace.byteLength);
    region.u32.set(gridWorkspace);
    return region.base;
  }

  #start(launch: Launch, module: EmulatorModule, given: readonly Uint8Array[], watcher: Watcher | undefined): GridRun {
    const { program } = module;
    const params = this.#memory.allocate(Math.max(1, program.parameterBytes));
    for (const [i, p] of program.parameters.entries()) params.bytes.set(given[i] ?? [], p.offset);
    const choices = createChoices(this.#schedule, this.#count, this.#options.chose);
    const state: LaunchState = {
      id: ++this.#count,
      program,
      grid: launch.grid,
      block: launch.block,
      cluster: launch.cluster,
      clusters: mapDim3(launch.grid, (extent, axis) => extent / (launch.cluster[axis] ?? 1)),
      clustered: product(launch.cluster) > 1,
      multiprocessors: machine.multiprocessors,
      global: this.#memory,
      params,
      workspace: launch.cooperative ? this.#workspace() : 0,
      textures: this.#textures,
      stackLimit: this.#options.stackBytes ?? defaults.stackBytes,
      stepBudget: this.#options.stepBudget ?? defaults.stepBudget,
      console: new KernelConsole(this.#options.print ?? ((line) => console.log(line))),
      heap: this.#heap,
      sharedBytes: program.staticSharedBytes + launch.sharedBytes,
      dynamicBytes: launch.sharedBytes,
      memories: launch.memories,
      clock: (warp) => {
        this.#clock += cyclesPerLook;
        watcher?.clockRead?.(warp, this.#clock);
        return this.#clock;
      },
      queue: createAsyncQueue(choices),
      scheduler: choices && new ControlledScheduler(choices, watcher?.strict ?? false),
      monitor: watcher?.monitor,
      reports: watcher?.reports,
    };
    return new GridRun(state, residentBlocks(module, launch));
  }
}
