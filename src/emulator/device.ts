import { placeLater, type Spans } from "../base/diag/index.ts";
import { defaultTarget } from "../base/target.ts";
import type { Im2colMap, TiledMap } from "../base/tensor-map.ts";
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
} from "../runtime/index.ts";
import { createModuleCache, endsAfter, type ModuleCache } from "../runtime/index.ts";
import { fail, makeError } from "./errors/index.ts";
import { GlobalMemory, mostBytes, type Region } from "./machine/memory.ts";
import { encodeTensorMap } from "./machine/units/index.ts";
import { countUnwritten, firstUnwritten } from "./machine/written-bytes.ts";
import type { EmulatorOptions } from "./options.ts";
import { Aftermath } from "./run/aftermath.ts";
import { checkLaunch } from "./run/check-launch.ts";
import type { Range } from "./run/doubts.ts";
import { Images } from "./run/images.ts";
import { Launches } from "./run/launches.ts";
import { EmulatorModule, EmulatorParameters, machine } from "./run/module.ts";
import { type Team, teamOf } from "./run/spread/team.ts";
import { type CapturedLaunch, EmulatorCapture, EmulatorEvent, EmulatorGraph, EmulatorStream, WorkQueue } from "./run/streams.ts";
import { EmulatorTextures } from "./run/textures.ts";
import { createWatch } from "./watch/watch.ts";

interface Copied {
  readonly to: bigint;
  readonly from: bigint;
  readonly bytes: number;
  readonly what: string;
}

/** A Hopper GPU on this CPU, from PTX text on. Needs nothing of Node. */
export class EmulatorDevice implements DeviceBackend {
  readonly kind = "emulator";
  readonly name = "emulator";
  readonly multiprocessors = machine.multiprocessors;
  readonly target = defaultTarget;
  readonly l2Bytes = machine.l2Bytes;
  readonly oneByOne = true;
  readonly defaultStream = new EmulatorStream();
  readonly #streams = new Set([this.defaultStream]);
  readonly #memory: GlobalMemory;
  readonly #queue = new WorkQueue((error, { stream }) => this.#aftermath.refused(error, stream));
  readonly #modules: ModuleCache = createModuleCache((ptx, options) =>
    this.#images.load(ptx, options.kernel, (image) => new EmulatorModule(image, options, this.#launches.making(options))),
  );
  readonly #images: Images;
  readonly #team: Team | undefined;
  readonly #launches: Launches;
  readonly #aftermath: Aftermath;
  readonly textures = new EmulatorTextures({
    allocate: (bytes) => this.#allocate(bytes).base,
    free: (address) => this.free(BigInt(address)),
    call: (run) => this.#queue.call(run, { atOnce: true }),
    copy: (stream, to, from, bytes) => this.#copy(stream, { to: BigInt(to), from: BigInt(from), bytes, what: "copy an array" }),
  });
  readonly profiles: boolean;
  /** Whether it is noted which bytes have been written. */
  readonly #tracks: boolean;

  readonly #options: EmulatorOptions;

  constructor(options: EmulatorOptions = {}) {
    this.#options = options;
    const { schedule = "eager", check = "off", profiles } = options;
    this.#tracks = check !== "off";
    // What is recorded or decided by a seed is so on one thread.
    const plain = schedule === "eager" && !profiles;
    this.#team = plain ? teamOf(options.workers, options.threads) : undefined;
    // Checks know memory by its regions: these stay the same.
    this.#memory = new GlobalMemory([], this.#team !== undefined && this.#tracks);
    this.#images = new Images(this.#memory);
    this.#aftermath = new Aftermath(this.#memory, this.textures.objects, () => this.#queue.issued);
    this.#launches = new Launches(options, this.#memory, this.textures.objects, this.#team, this.#aftermath, {
      watch:
        options.watch ??
        createWatch(
          check,
          profiles,
          ({ foreign }) => options.warned !== undefined && (!foreign || options.warnsOfForeign === true),
        ),
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
    const base = Number(address);
    const free = (): void => {
      this.#memory.free(base);
      this.#aftermath.freed(base);
    };
    this.#queue.call(free, { atOnce: true });
  }

  mapped(bytes: number): MappedMemory {
    // The host keeps its view, so that this memory cannot become shared later.
    const region = this.#allocate(bytes, this.#team !== undefined ? true : undefined);
    region.ofHost = true;
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

  upload(stream: BackendStream, address: bigint, bytes: Uint8Array): void {
    const copy = bytes.slice();
    this.#queue.call(() => this.#written(address, copy.length, "copy to the device").set(copy), { stream });
  }

  /** Refused where a launch that has failed left the bytes in doubt; of what failed otherwise it says nothing. */
  async download(stream: BackendStream, address: bigint, bytes: number, wanted?: "all" | "some"): Promise<Uint8Array> {
    const place = placeLater();
    return this.#waited([streamOf(stream)], (issued) => {
      const range = this.#rangeOf(address, bytes, "copy from the device");
      if (!range) return new Uint8Array(0);
      this.#aftermath.check(range, issued, place);
      if (wanted) this.#checkWritten(range.region, range.begin, bytes, wanted, place);
      return range.region.bytes.slice(range.begin, range.end);
    });
  }

  /**
   * Something of what is read was written before: W9250, a warning, an error under `strict`. That all of it was is more than programs promise (lists that
   * are longer than what is in them, tokens of no sequence): `strict` warns.
   */
  #checkWritten(region: Region, begin: number, bytes: number, wanted: "all" | "some", place: () => Spans): void {
    const { written } = region;
    const count = written ? countUnwritten(written, begin, bytes) : 0;
    const { check, warned } = this.#options;
    const isPart = count < bytes;
    if (!written || count === 0 || (isPart && (wanted === "some" || check !== "strict"))) return;
    const error = makeError("W9250", { count, bytes, first: firstUnwritten(written, begin, bytes) - begin }, place());
    if (check === "strict" && !isPart) throw error;
    warned?.(error);
  }

  copy(stream: BackendStream, to: bigint, from: bigint, bytes: number): void {
    this.#copy(stream, { to, from, bytes, what: "copy within the device" });
  }

  #copy(stream: BackendStream, { to, from, bytes, what }: Copied): void {
    const run = (issued: number): void => {
      const [source, target] = [this.#rangeOf(from, bytes, what), this.#rangeOf(to, bytes, what)];
      if (!source || !target) return;
      target.region.filled(target.begin, bytes);
      target.region.bytes.set(source.region.bytes.slice(source.begin, source.end), target.begin);
      this.#aftermath.copied(source, target, issued);
    };
    this.#queue.call(run, { stream });
  }

  fill(stream: BackendStream, address: bigint, pattern: Uint8Array, count: number): void {
    const copy = pattern.slice();
    const run = (): void => {
      const bytes = this.#written(address, copy.length * count, "fill memory");
      bytes.set(copy.subarray(0, Math.min(copy.length, bytes.length)));
      for (let done = copy.length; done < bytes.length; done *= 2) bytes.copyWithin(done, 0, Math.min(done, bytes.length - done));
    };
    this.#queue.call(run, { stream });
  }

  /** Undefined where there are none. W8010. */
  #rangeOf(address: bigint, length: number, what: string): (Range & { readonly region: Region }) | undefined {
    if (length === 0) return undefined;
    const region = this.#memory.find(Number(address), length);
    if (!region) return fail("W8010", { what, reason: `the ${length} bytes at 0x${address.toString(16)} belong to nothing` });
    const begin = Number(address) - region.base;
    return { region, base: region.base, begin, end: begin + length };
  }

  /** Bytes that the host writes now. */
  #written(address: bigint, length: number, what: string): Uint8Array {
    const range = this.#rangeOf(address, length, what);
    if (!range) return new Uint8Array(0);
    range.region.filled(range.begin, length);
    this.#aftermath.written(range);
    return range.region.bytes.subarray(range.begin, range.end);
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
    const task: CapturedLaunch = (stream, position) => this.#launches.task({ launch, module, given, position, stream });
    if (launch.stream instanceof EmulatorCapture) launch.stream.launches.push(task);
    else this.#queue.add(task(launch.stream, streamOf(launch.stream).nextPosition()));
  }

  capture(record: (stream: BackendStream) => void): BackendGraph {
    const stream = new EmulatorCapture();
    record(stream);
    return new EmulatorGraph(stream);
  }

  launchGraph(graph: BackendGraph, stream: BackendStream): void {
    if (!(graph instanceof EmulatorGraph)) fail("W7023", { what: "graph" });
    const within = new EmulatorStream();
    for (const task of graph.launches) this.#queue.add(task(stream, within.nextPosition()));
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
    const pass = (): void => {
      own.ahead -= 1;
      own.time = performance.now();
    };
    this.#queue.call(pass, { atOnce: true });
  }

  passed(event: BackendEvent): boolean {
    return eventOf(event).ahead === 0;
  }

  /** Leaves what failed before it to whoever waits for data. */
  reached(event: BackendEvent): Promise<void> {
    if (this.passed(event)) return Promise.resolve();
    return this.#queue.after(() => {});
  }

  elapsed(from: BackendEvent, to: BackendEvent): number {
    return (eventOf(to).time - eventOf(from).time) * 1000;
  }

  destroyEvent(_event: BackendEvent): void {}

  synchronize(stream?: BackendStream): Promise<void> {
    return this.#waited(stream ? [streamOf(stream)] : this.#streams, () => {
      const failure = this.#aftermath.tell(stream);
      if (failure !== undefined) throw failure;
    });
  }

  /** Resolves when all is done; the host has then seen the end of what those streams had to do. */
  async #waited<T>(streams: Iterable<EmulatorStream>, what: (issued: number) => T): Promise<T> {
    const endings = Array.from(streams, (stream) => stream.ending());
    try {
      return await this.#queue.after(what);
    } finally {
      for (const ending of endings) EmulatorStream.ended(ending);
    }
  }

  failedBehind(): Promise<unknown> {
    return this.#waited(this.#streams, () => this.#aftermath.tellBehind());
  }

  untold(): unknown {
    return this.#aftermath.tell();
  }

  async dispose(): Promise<void> {
    this.#queue.clear();
    this.#aftermath.clear();
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
