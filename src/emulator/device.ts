import { fail, makeError } from "../diag/index.ts";
import type {
  BackendEvent,
  BackendGraph,
  BackendStream,
  DeviceBackend,
  Launch,
  LoadedModule,
  MappedMemory,
  ModuleOptions,
  ParameterBlock,
} from "../runtime/backend.ts";
import { createModuleCache, type ModuleCache } from "../runtime/module-cache.ts";
import type { Im2colMap, TiledMap } from "../tensor-map.ts";
import type { Dim3 } from "../types.ts";
import { Adversary } from "./adversary.ts";
import { KernelConsole } from "./builtins/console.ts";
import { DeviceHeap } from "./builtins/heap.ts";
import { type Check, type CheckMode, createCheck, earlierOf } from "./check/index.ts";
import { type Choice, createChoices, type Schedule } from "./choices.ts";
import { GridRun } from "./grid-run.ts";
import { Images } from "./images.ts";
import type { LaunchState, Triple } from "./launch-state.ts";
import { GlobalMemory, type Region } from "./memory.ts";
import { EmulatorModule, EmulatorParameters, machine } from "./module.ts";
import { monitorOf } from "./monitor.ts";
import type { ProgramOptions } from "./operands.ts";
import { jobOf } from "./spread/job.ts";
import { type Patience, SharedRun, usualPatience } from "./spread/shared-run.ts";
import { type Team, teamOf, type WorkerThreads } from "./spread/team.ts";
import { EmulatorCapture, EmulatorEvent, EmulatorGraph, EmulatorStream, type Task, type Turn, WorkQueue } from "./streams.ts";
import { createTimeline, type Timeline, type TraceSink } from "./timeline/index.ts";
import { createAsyncQueue, encodeTensorMap } from "./units/index.ts";

export interface EmulatorOptions {
  /** What decides whatever the machine leaves open; without: `eager`. */
  readonly schedule?: Schedule;
  /** Told of each decision that a seed makes other than `eager` would. */
  readonly chose?: (choice: Choice) => void;
  /** Told why a launch has failed, whether the host asks or not. */
  readonly failed?: (error: unknown) => void;
  /** Which checks kernels run under. */
  readonly check?: CheckMode;
  /** Gets each line that kernels print with `vprintf`, when it ends or the launch does. Default: `console.log`. */
  readonly print?: (line: string) => void;
  /** Bytes that kernels may have allocated with `malloc` at a time. Default: 8 MiB, as a driver has it. */
  readonly heapBytes?: number;
  /** Bytes of local memory that a thread may have. Default: 512 KiB, the most that the hardware has. */
  readonly stackBytes?: number;
  /**
   * Instructions that warps may run, all of a launch together, while nothing happens that others could notice; then the launch fails
   * with W9004. What concerns more than one lane, and calls, count for 32. Default: 2 ** 26.
   */
  readonly stepBudget?: number;
  /** Gets the timeline of each launch when it ends or fails. Kernels run slower. */
  readonly trace?: TraceSink;
  /** How to start worker threads. Without, or without `SharedArrayBuffer`, everything runs on the thread of the device. */
  readonly workers?: WorkerThreads;
  /** Worker threads that the clusters of a long launch are spread over; 1: none. Default: `workers.count`. */
  readonly threads?: number;
  /** When. Default: `usualPatience`. */
  readonly patience?: Patience;
}

/** What the clock goes on by whenever it is read. */
const cyclesPerLook = 32;
/** The checks of a device that nobody has told which. */
const defaultCheck: CheckMode = "off";
const defaultHeapBytes = 8 * 2 ** 20;
const defaultStepBudget = 2 ** 26;
const defaultStackBytes = 512 * 1024;

/** A Hopper GPU on this CPU, from PTX text on. Needs nothing of Node. */
export class EmulatorDevice implements DeviceBackend {
  readonly kind = "emulator";
  readonly name = "emulator";
  readonly multiprocessors = machine.multiprocessors;
  readonly computeCapability = [9, 0] as const;
  readonly l2Bytes = machine.l2Bytes;
  readonly defaultStream = new EmulatorStream();
  readonly #streams = new Set([this.defaultStream]);
  readonly #schedule: Schedule;
  readonly #options: EmulatorOptions;
  readonly #check: CheckMode;
  readonly #memory = new GlobalMemory();
  readonly #queue = new WorkQueue();
  readonly #modules: ModuleCache = createModuleCache((ptx, options) =>
    this.#images.load(ptx, options.kernel, (image) => new EmulatorModule(image, options, this.#making())),
  );
  readonly #images = new Images(this.#memory);
  readonly #heap: DeviceHeap;
  readonly #print: (line: string) => void;
  readonly #stackBytes: number;
  readonly #team: Team | undefined;
  #launches = 0;
  #clock = 0;

  constructor(options: EmulatorOptions = {}) {
    this.#schedule = options.schedule ?? "eager";
    this.#options = options;
    this.#check = options.check ?? defaultCheck;
    this.#print = options.print ?? ((line) => console.log(line));
    this.#heap = new DeviceHeap(this.#memory, options.heapBytes ?? defaultHeapBytes);
    this.#stackBytes = options.stackBytes ?? defaultStackBytes;
    // What is checked, recorded or decided by a seed is so on one thread.
    const plain = this.#check === "off" && this.#schedule === "eager" && !options.trace;
    this.#team = plain ? teamOf(options.workers, options.threads) : undefined;
  }

  allocate(bytes: number): bigint {
    const region = this.#allocate(bytes, false);
    if (this.#check !== "off") region.track();
    return BigInt(region.base);
  }

  #allocate(bytes: number, shared: boolean): Region {
    try {
      return this.#memory.allocate(bytes, shared);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return fail("W8005", { bytes, device: this.name, free: "" });
    }
  }

  free(address: bigint): void {
    this.#queue.call(() => this.#memory.free(Number(address)), true);
  }

  mapped(bytes: number): MappedMemory {
    // The host keeps its view, so that this memory cannot become shared later.
    const region = this.#allocate(bytes, this.#team !== undefined);
    return { address: BigInt(region.base), bytes: region.bytes, free: () => this.#memory.free(region.base) };
  }

  createStream(): BackendStream {
    const stream = new EmulatorStream();
    this.#streams.add(stream);
    return stream;
  }
  destroyStream(stream: BackendStream): void {
    this.#streams.delete(streamOf(stream));
  }
  /** All streams share one queue. */
  orderAfter(stream: BackendStream, other: BackendStream): void {
    streamOf(stream).follow(streamOf(other));
  }

  upload(_stream: BackendStream, address: bigint, bytes: Uint8Array): void {
    const copy = bytes.slice();
    this.#queue.call(() => this.#range(address, copy.length, "copy to the device", true).set(copy));
  }

  async download(stream: BackendStream, address: bigint, bytes: number): Promise<Uint8Array> {
    let copy = new Uint8Array(0);
    this.#queue.call(() => {
      copy = this.#range(address, bytes, "copy from the device").slice();
    });
    await this.#drained([streamOf(stream)]);
    return copy;
  }

  fill(_stream: BackendStream, address: bigint, pattern: Uint8Array, count: number): void {
    const copy = pattern.slice();
    this.#queue.call(() => {
      const bytes = this.#range(address, copy.length * count, "fill memory", true);
      bytes.set(copy.subarray(0, Math.min(copy.length, bytes.length)));
      for (let done = copy.length; done < bytes.length; done *= 2) bytes.copyWithin(done, 0, Math.min(done, bytes.length - done));
    });
  }

  #range(address: bigint, length: number, what: string, written = false): Uint8Array {
    if (length === 0) return new Uint8Array(0);
    const region = this.#memory.find(Number(address), length);
    if (!region) return fail("W8010", { what, reason: `the ${length} bytes at 0x${address.toString(16)} belong to nothing` });
    const offset = Number(address) - region.base;
    if (written) region.filled(offset, length);
    return region.bytes.subarray(offset, offset + length);
  }

  /** Where turns are not always whole, others come between two accesses. */
  #making(): ProgramOptions {
    const watched = this.#check !== "off" || this.#options.trace !== undefined;
    return { watched, fine: !["eager", "lazy", "torn"].includes(this.#schedule as string) };
  }

  loadModule(ptx: string, options: ModuleOptions): LoadedModule {
    return this.#modules.load(ptx, options);
  }

  parameters(module: LoadedModule): ParameterBlock {
    return new EmulatorParameters(module.parameterBytes);
  }

  launch(launch: Launch): void {
    const { module, parameters } = launch;
    if (!(module instanceof EmulatorModule && parameters instanceof EmulatorParameters))
      fail("W7023", { what: "kernel" }, launch.spans);
    checkLaunch(launch, module);
    const given = parameters.views.map((view) => new Uint8Array(view.buffer).slice());
    const task = (turn: Turn) => this.#task(launch, module, given, turn);
    if (launch.stream instanceof EmulatorCapture) launch.stream.launches.push(task);
    else this.#queue.add(task(streamOf(launch.stream).turn()));
  }

  capture(record: (stream: BackendStream) => void): BackendGraph {
    const stream = new EmulatorCapture();
    record(stream);
    return new EmulatorGraph(stream);
  }

  launchGraph(graph: BackendGraph, stream: BackendStream): void {
    if (!(graph instanceof EmulatorGraph)) fail("W7023", { what: "graph" });
    const within = new EmulatorStream();
    for (const task of graph.launches) this.#queue.add(task(within.turn()));
    streamOf(stream).breaks();
  }

  destroyGraph(_graph: BackendGraph): void {}

  /** Memory for parameters is there from the first slice to the last. */
  #task(launch: Launch, module: EmulatorModule, given: readonly Uint8Array[], turn: Turn): Task {
    let run: GridRun | undefined;
    let running: Pick<Task, "run"> | undefined;
    const { trace } = this.#options;
    const timeline = trace && createTimeline(module.program, launch.grid, trace.room());
    const end = (): void => {
      if (!run) return;
      if (timeline) trace?.take(timeline.end());
      this.#memory.free(run.launch.params.base);
      run.launch.console.end();
    };
    return {
      run: (late) => {
        run ??= this.#start(launch, module, given, timeline, this.#checkOf(launch, module, turn));
        running ??= this.#spread(run, module);
        try {
          const done = running.run(late);
          if (done === true) end();
          return done;
        } catch (error) {
          end();
          const reason = launch.explain?.() ?? error;
          this.#options.failed?.(reason);
          throw reason;
        }
      },
    };
  }

  /** Over worker threads, where that is allowed and will pay. */
  #spread(run: GridRun, { source }: EmulatorModule): Pick<Task, "run"> {
    if (!this.#team || run.total === 1) return run;
    const patience = this.#options.patience ?? usualPatience;
    return new SharedRun(run, this.#team, patience, (tally) => jobOf(run.launch, source, this.#memory.share(), tally));
  }

  #checkOf({ overlapPrevious }: Launch, { program }: EmulatorModule, turn: Turn): Check | undefined {
    const before = turn.begin();
    if (this.#check === "off") return undefined;
    const isThere = (region: Region) => this.#memory.find(region.base, 1) === region;
    const check = createCheck(program, this.#check, before && earlierOf(before, overlapPrevious, isThere));
    turn.footprint = check.footprint;
    return check;
  }

  #start(
    launch: Launch,
    module: EmulatorModule,
    given: readonly Uint8Array[],
    timeline: Timeline | undefined,
    check: Check | undefined,
  ): GridRun {
    const { program } = module;
    const params = this.#memory.allocate(Math.max(1, program.parameterBytes));
    for (const [i, p] of program.parameters.entries()) params.bytes.set(given[i] ?? [], p.offset);
    const threads = product(launch.block);
    const choices = createChoices(this.#schedule, this.#launches, this.#options.chose);
    const state: LaunchState = {
      id: ++this.#launches,
      program,
      grid: launch.grid,
      block: launch.block,
      cluster: launch.cluster,
      clusters: launch.grid.map((extent, axis) => extent / (launch.cluster[axis] ?? 1)) as unknown as Triple,
      clustered: product(launch.cluster) > 1,
      multiprocessors: this.multiprocessors,
      global: this.#memory,
      params,
      stackLimit: this.#stackBytes,
      stepBudget: this.#options.stepBudget ?? defaultStepBudget,
      console: new KernelConsole(this.#print),
      heap: this.#heap,
      sharedBytes: program.dynamicSharedOffset + launch.sharedBytes,
      dynamicBytes: launch.sharedBytes,
      clock: () => {
        this.#clock += cyclesPerLook;
        return this.#clock;
      },
      queue: createAsyncQueue(choices),
      adversary: choices && new Adversary(choices),
      monitor: timeline ? monitorOf([...(check ? [check.monitor] : []), ...timeline.rules]) : check?.monitor,
      reports: check?.reports,
    };
    return new GridRun(state, this.multiprocessors * Math.max(1, module.blocksPerSM(threads, launch.sharedBytes)));
  }

  encodeTensorMap(address: bigint, map: TiledMap | Im2colMap): Uint8Array {
    return encodeTensorMap(Number(address), map);
  }

  createEvent(): BackendEvent {
    return new EmulatorEvent();
  }

  record(event: BackendEvent, _stream: BackendStream): void {
    const own = eventOf(event);
    own.ahead += 1;
    this.#queue.call(() => {
      own.ahead -= 1;
      own.time = performance.now();
    }, true);
  }

  passed(event: BackendEvent): boolean {
    return eventOf(event).ahead === 0;
  }

  /** Leaves what failed before it to whoever waits for data. */
  reached(event: BackendEvent): Promise<void> {
    if (this.passed(event)) return Promise.resolve();
    return new Promise((resolve) => this.#queue.call(resolve, true));
  }

  elapsed(from: BackendEvent, to: BackendEvent): number {
    return (eventOf(to).time - eventOf(from).time) * 1000;
  }

  destroyEvent(_event: BackendEvent): void {}

  synchronize(stream?: BackendStream): Promise<void> {
    return this.#drained(stream ? [streamOf(stream)] : this.#streams);
  }

  /** Resolves when all is done; the host has then seen the end of what those streams had to do. */
  async #drained(streams: Iterable<EmulatorStream>): Promise<void> {
    const endings = Array.from(streams, (stream) => stream.ending());
    try {
      await this.#queue.drained();
    } finally {
      for (const end of endings) end();
    }
  }

  async dispose(): Promise<void> {
    this.#queue.clear();
    this.#team?.end();
    this.#modules.clear();
    this.#memory.clear();
  }
}

const product = ([x, y, z]: Dim3): number => x * y * z;

function streamOf(stream: BackendStream): EmulatorStream {
  return stream instanceof EmulatorStream ? stream : fail("W7023", { what: "stream" });
}

function eventOf(event: BackendEvent): EmulatorEvent {
  return event instanceof EmulatorEvent ? event : fail("W7023", { what: "event" });
}

/** What a driver refuses. W8007. */
function checkLaunch(launch: Launch, { kernel, program }: EmulatorModule): void {
  const refuse = (reason: string): never => {
    throw makeError("W8007", { kernel, reason }, launch.spans);
  };
  const { reqntid, reqnctapercluster } = program.directives;
  const same = (required: readonly number[] | undefined, given: Dim3) =>
    required === undefined || given.every((extent, axis) => extent === (required[axis] ?? 1));
  if (product(launch.block) > machine.threadsPerBlock) refuse(`a block has at most ${machine.threadsPerBlock} threads`);
  if (!same(reqntid, launch.block)) refuse(`it was compiled for blocks of ${reqntid} threads, not ${launch.block}`);
  if (!same(reqnctapercluster, launch.cluster))
    refuse(`it was compiled for clusters of ${reqnctapercluster} blocks, not ${launch.cluster}`);
  if (launch.grid.some((extent, axis) => extent % (launch.cluster[axis] ?? 1) !== 0))
    refuse("the grid is no whole number of clusters");
  const shared = program.dynamicSharedOffset + launch.sharedBytes;
  if (shared > machine.sharedBytesPerBlock)
    refuse(`it needs ${shared} bytes of shared memory; a block has at most ${machine.sharedBytesPerBlock}`);
}
