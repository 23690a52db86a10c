import { fail } from "../diag/index.ts";
import type {
  BackendEvent,
  BackendGraph,
  BackendStream,
  DeviceBackend,
  ForeignMemory,
  Launch,
  LoadedModule,
  MappedMemory,
  ModuleImage,
  ModuleOptions,
  ParameterBlock,
} from "../runtime/backend.ts";
import { endsAfter } from "../runtime/foreign-memory.ts";
import { createModuleCache, type ModuleCache } from "../runtime/module-cache.ts";
import { defaultTarget } from "../target.ts";
import type { Im2colMap, TiledMap } from "../tensor-map.ts";
import { GlobalMemory, mostBytes, type Region } from "./machine/memory.ts";
import { encodeTensorMap } from "./machine/units/index.ts";
import type { EmulatorOptions } from "./options.ts";
import { checkLaunch } from "./run/check-launch.ts";
import { Images } from "./run/images.ts";
import { Launches } from "./run/launches.ts";
import { EmulatorModule, EmulatorParameters, machine } from "./run/module.ts";
import { type Team, teamOf } from "./run/spread/team.ts";
import { EmulatorCapture, EmulatorEvent, EmulatorGraph, EmulatorStream, type StreamPosition, WorkQueue } from "./run/streams.ts";
import { EmulatorTextures } from "./run/textures.ts";
import { createWatch } from "./watch/watch.ts";

/** A Hopper GPU on this CPU, from PTX text on. Needs nothing of Node. */
export class EmulatorDevice implements DeviceBackend {
  readonly kind = "emulator";
  readonly name = "emulator";
  readonly multiprocessors = machine.multiprocessors;
  readonly target = defaultTarget;
  readonly l2Bytes = machine.l2Bytes;
  readonly defaultStream = new EmulatorStream();
  readonly #streams = new Set([this.defaultStream]);
  readonly #memory: GlobalMemory;
  readonly #queue = new WorkQueue();
  readonly #modules: ModuleCache = createModuleCache((ptx, options) =>
    this.#images.load(ptx, options.kernel, (image) => new EmulatorModule(image, options, this.#launches.making(options))),
  );
  readonly #images: Images;
  readonly #team: Team | undefined;
  readonly #launches: Launches;
  readonly textures = new EmulatorTextures({
    allocate: (bytes) => this.#allocate(bytes).base,
    free: (address) => void this.#memory.free(address),
    call: (run, always) => this.#queue.call(run, always),
    bytes: (address, length, what, written) => this.#range(BigInt(address), length, what, written),
  });
  readonly profiles: boolean;
  /** Whether it is noted which bytes have been written. */
  readonly #tracks: boolean;

  constructor(options: EmulatorOptions = {}) {
    const { schedule = "eager", check = "off", profiles } = options;
    this.#tracks = check !== "off";
    // What is recorded or decided by a seed is so on one thread.
    const plain = schedule === "eager" && !profiles;
    this.#team = plain ? teamOf(options.workers, options.threads) : undefined;
    // Checks know memory by its regions: these stay the same.
    this.#memory = new GlobalMemory([], this.#team !== undefined && this.#tracks);
    this.#images = new Images(this.#memory);
    this.#launches = new Launches(options, this.#memory, this.textures.objects, this.#team, {
      watch: options.watch ?? createWatch(check, profiles),
      always: options.watch !== undefined || check !== "off" || profiles !== undefined,
    });
    this.profiles = profiles !== undefined;
  }

  allocate(bytes: number): bigint {
    const region = this.#allocate(bytes);
    if (this.#tracks) region.track();
    return BigInt(region.base);
  }

  #allocate(bytes: number, shared?: boolean): Region {
    try {
      return this.#memory.allocate(bytes, shared);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const free = bytes > mostBytes ? `: one allocation of it has at most ${mostBytes}` : "";
      return fail("W8005", { bytes, device: this.name, free });
    }
  }

  free(address: bigint): void {
    this.#queue.call(() => this.#memory.free(Number(address)), true);
  }

  mapped(bytes: number): MappedMemory {
    // The host keeps its view, so that this memory cannot become shared later.
    const region = this.#allocate(bytes, this.#team !== undefined ? true : undefined);
    return { address: BigInt(region.base), bytes: region.bytes, free: () => this.#memory.free(region.base) };
  }

  memoryAt(address: bigint, bytes: number): ForeignMemory {
    const region = this.#memory.find(Number(address), 1);
    if (!region) return { problem: "the emulator has given no memory there" };
    const left = region.base + region.size - Number(address);
    return bytes <= left ? { begin: BigInt(region.base) } : { problem: endsAfter(left, bytes) };
  }

  createStream(): BackendStream {
    const stream = new EmulatorStream();
    this.#streams.add(stream);
    return stream;
  }
  destroyStream(stream: BackendStream): void {
    const own = streamOf(stream);
    this.#streams.delete(own);
    own.breaks();
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

  copy(_stream: BackendStream, to: bigint, from: bigint, bytes: number): void {
    this.#queue.call(() => {
      const source = this.#range(from, bytes, "copy within the device").slice();
      this.#range(to, bytes, "copy within the device", true).set(source);
    });
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

  loadModule(ptx: string, options: ModuleOptions): LoadedModule {
    return this.#modules.load(ptx, options);
  }

  loadImage(ptx: string, file: string): ModuleImage {
    const making = this.#launches.making();
    return this.#images.own(ptx, file, (image, options) => new EmulatorModule(image, options, making));
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
    const task = (position: StreamPosition) => this.#launches.task(launch, module, given, position);
    if (launch.stream instanceof EmulatorCapture) launch.stream.launches.push(task);
    else this.#queue.add(task(streamOf(launch.stream).nextPosition()));
  }

  capture(record: (stream: BackendStream) => void): BackendGraph {
    const stream = new EmulatorCapture();
    record(stream);
    return new EmulatorGraph(stream);
  }

  launchGraph(graph: BackendGraph, stream: BackendStream): void {
    if (!(graph instanceof EmulatorGraph)) fail("W7023", { what: "graph" });
    const within = new EmulatorStream();
    for (const task of graph.launches) this.#queue.add(task(within.nextPosition()));
    streamOf(stream).breaks();
  }

  destroyGraph(_graph: BackendGraph): void {}

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
      for (const ending of endings) EmulatorStream.ended(ending);
    }
  }

  untold(): unknown {
    return this.#queue.failure;
  }

  async dispose(): Promise<void> {
    this.#queue.clear();
    this.#team?.end();
    this.#modules.clear();
    this.#memory.clear();
  }
}

function streamOf(stream: BackendStream): EmulatorStream {
  return stream instanceof EmulatorStream ? stream : fail("W7023", { what: "stream" });
}

function eventOf(event: BackendEvent): EmulatorEvent {
  return event instanceof EmulatorEvent ? event : fail("W7023", { what: "event" });
}
