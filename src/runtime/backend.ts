/**
 * What a device must be able to do: the interface below tensors, kernels and tensor maps. A backend moves bytes and starts
 * kernels; it knows no element types. Addresses are global addresses of the device, in bytes.
 */
import type { Spans, WarpsmithError } from "../base/diag/index.ts";
import type { Target } from "../base/target.ts";
import type { Im2colMap, TiledMap } from "../base/tensor-map.ts";
import type { Sampling, TexelArray, TexelMemory } from "../base/texture.ts";
import type { Dim3 } from "../base/types.ts";
import type { MarkRecord, ProfileSink } from "../inspect/profile/index.ts";

/** Work in one stream runs in the order issued. Made by its backend alone. */
export interface BackendStream {
  readonly role: "stream";
  /** The driver's `CUstream` where there is a driver. */
  readonly native?: bigint;
}

/** A mark in a stream. Made by its backend alone. */
export interface BackendEvent {
  readonly role: "event";
}

/** Launches that were captured, to be issued together. Made by its backend alone. */
export interface BackendGraph {
  readonly role: "graph";
}

/** Memory of the host that kernels can write to, and that stays readable when a kernel has failed. */
export interface MappedMemory {
  /** What kernels take. */
  readonly address: bigint;
  readonly bytes: Uint8Array;
  free(): void;
}

/** An allocation that may be somebody else's: where it begins. */
export type ForeignMemory = { readonly begin: bigint } | { readonly problem: string };

export interface ModuleOptions {
  /** The `.entry` to launch. */
  readonly entry: string;
  /** The author's name of the kernel, for messages. */
  readonly kernel: string;
  /** Bytes per parameter, in the order of the entry's parameter list. */
  readonly parameterBytes: readonly number[];
  /** Largest dynamic shared memory that a launch will ask for, in bytes. */
  readonly dynamicSharedBytes: number;
  readonly nonPortableCluster?: boolean;
  /** It is of a program of loop nests, for messages. */
  readonly ofLoops?: boolean;
  /** The same, assembled already: taken instead of the PTX where the device can. */
  readonly image?: Uint8Array;
  /** Its launches are to be profiled. */
  readonly profiled?: boolean;
}

/** A kernel on the device, ready to launch. */
export interface LoadedModule {
  readonly kernel: string;
  /** Its `.entry`. */
  readonly entry: string;
  /** Per thread. */
  readonly registers: number;
  /** Local memory per thread. */
  readonly spillBytes: number;
  /** Shared memory per block that the code itself declares. */
  readonly staticSharedBytes: number;
  /** What the assembler printed that is no error; undefined where it was not asked, as of an image that was kept. */
  readonly assemblerLog?: string | undefined;
  /** Bytes per parameter. */
  readonly parameterBytes: readonly number[];
  /** Threads that a block may have with this register count. */
  readonly maxThreads: number;
  /** Blocks that fit one multiprocessor. */
  blocksPerSM(threads: number, dynamicSharedBytes: number): number;
}

/** A PTX module of any compiler on the device: its kernels share one copy of its variables. */
export interface ModuleImage {
  /** One of its entries, ready to launch. What was asked for last, of dynamic shared memory and of clusters, holds for all that have that entry. */
  kernel(options: ModuleOptions): LoadedModule;
  /** Where a variable of the spaces global and const lies, by its name in the PTX; undefined where the device has none of that name. */
  variable(name: string): { readonly address: bigint; readonly bytes: number } | undefined;
}

/**
 * The arguments of a launch, packed. One block serves any number of launches: its bytes are taken when a launch is issued.
 * `view(i)` is the place of parameter i, aligned to 64 bytes, little-endian.
 */
export interface ParameterBlock {
  readonly views: readonly DataView[];
}

/** Memory that a kernel uses, by the author's name: for messages about an access beside it. */
export interface NamedMemory {
  readonly name: string;
  readonly space: "global" | "shared";
  /** An address, or bytes from the beginning of the dynamic shared memory. */
  readonly begin: number;
  readonly bytes: number;
  /** Of a tensor: what its elements are. */
  readonly elements?: { readonly bytes: number; readonly shape: readonly number[] };
}

/** A launch that is watched: its kernel records where its warps are (src/base/watch-layout.ts). */
export interface WatchedLaunch {
  /** How long nothing may change in what the kernels of a device have recorded. */
  readonly seconds: number;
  /**
   * Asked when nothing has changed for that long: what has hung, by the records of the device. Undefined where nothing has: no warp of the launch is there, or it
   * may still go on. `"stopped"`: the device has failed when its mbarriers were asked.
   */
  explain(records: Uint32Array, seconds: number, stopped?: "stopped"): WarpsmithError | undefined;
  /** What the mbarriers of a launch that hangs are asked. Undefined where nobody can be asked. */
  questions(records: Uint32Array): WatchQuestions | undefined;
}

/** Words for the warps whose launch hangs, in the order of their records. */
export interface WatchQuestions {
  readonly words: Uint32Array;
  /** Whether all answers are in these records. */
  answered(records: Uint32Array): boolean;
  /** What is asked when these are answered, or have had their time. */
  next?(records: Uint32Array): WatchQuestions | undefined;
}

/** Where watched launches of a device record. */
export interface WatchRecords {
  /** What the kernel takes. */
  readonly address: bigint;
  /** A number for the next launch, not 0. */
  next(): number;
}

/** What a line of a kernel's PTX is. */
export interface PtxPlace {
  /** The instruction, without its operands. */
  readonly instruction: string;
  /** What the author wrote for it, innermost first. */
  readonly spans: Spans;
}

export interface Launch {
  readonly module: LoadedModule;
  readonly parameters: ParameterBlock;
  readonly grid: Dim3;
  readonly block: Dim3;
  /** `[1, 1, 1]` where there is none. */
  readonly cluster: Dim3;
  /** Dynamic shared memory per block, in bytes. */
  readonly sharedBytes: number;
  readonly stream: BackendStream;
  /** Let it start before the previous kernel of the stream ends. */
  readonly overlapPrevious: boolean;
  /** All blocks are on the machine at the same time, and may wait for each other. */
  readonly cooperative?: boolean | undefined;
  /** Where the author wrote the launch. */
  readonly spans: Spans;
  readonly memories?: readonly NamedMemory[] | undefined;
  /** Asked when the device fails while this launch may be running: what the kernel itself left to say (an assertion, a trap). */
  readonly explain?: (() => WarpsmithError | undefined) | undefined;
  /** Asked when the hardware says at which line of its PTX, from 1, the kernel failed. */
  readonly placeOf?: ((ptxLine: number) => PtxPlace | undefined) | undefined;
  /** Who takes its profile, where the device makes one by itself. */
  readonly profile?: ProfileSink | undefined;
  /** Where it is watched. */
  readonly watch?: WatchedLaunch | undefined;
  /** What `profile` marks of the kernel have recorded: asked when it has ended, or failed. */
  readonly marks?: (() => readonly MarkRecord[]) | undefined;
  /** Gets the warnings of this launch when it has ended or failed. Default: the listener of the device. */
  readonly warned?: ((warning: WarpsmithError) => void) | undefined;
  /** What the host does right before and right after it, on a device whose launches run one by one. Not called where it does not run at all. */
  readonly turn?: LaunchTurn | undefined;
}

export interface LaunchTurn {
  begin(): void;
  /** It is over, or has failed and been asked why. */
  end(): void;
}

/** A CUDA array: texels in an order that nobody knows. Made by its backend alone. */
export interface BackendArray {
  readonly role: "array";
}

/** Arrays, and objects that kernels read and write them by. Descriptions have been checked: `arrayProblem`, `samplingProblem`. */
export interface TextureBackend {
  createArray(array: TexelArray): BackendArray;
  /** Nothing may use it any more. */
  destroyArray(array: BackendArray): void;
  /** Copies all texels out of memory, where they lie row after row without gaps, when the stream comes to it. */
  fillArray(stream: BackendStream, array: BackendArray, address: bigint): void;
  /** The other way. */
  readArray(stream: BackendStream, array: BackendArray, address: bigint): void;
  /** Gives what kernels take: a `CUtexObject`. */
  createTexture(source: BackendArray | (TexelMemory & { readonly address: bigint }), sampling: Sampling): bigint;
  destroyTexture(texture: bigint): void;
  /** A `CUsurfObject`. */
  createSurface(array: BackendArray): bigint;
  destroySurface(surface: bigint): void;
}

export interface DeviceBackend {
  readonly kind: "cuda" | "emulator";
  readonly name: string;
  readonly multiprocessors: number;
  /** What its kernels are compiled for. */
  readonly target: Target;
  /** Bytes of level 2 cache: what a benchmark has to flush. */
  readonly l2Bytes: number;
  /** The stream that every launch without one goes to. */
  readonly defaultStream: BackendStream;
  /** Launches run one after the other, whatever their streams: each is told of its turn. */
  readonly oneByOne?: boolean;
  /** It takes the profiles of all launches, so that kernels are compiled with their marks. */
  readonly profiles?: boolean;
  /** Who takes the timelines that kernels have recorded themselves, of all launches. */
  readonly timelines?: ProfileSink;

  /** Where watched launches record, made when it is first asked for. Left out where launches that hang are found without it. */
  watchRecords?(): WatchRecords;

  /** In order with `defaultStream`. Aligned to 256 bytes. */
  allocate(bytes: number): bigint;
  /** Once the work issued to `defaultStream` so far is done. */
  free(address: bigint): void;
  mapped(bytes: number): MappedMemory;
  /** The allocation that holds so many bytes from an address on, whoever made it; or why kernels find none there, as a clause. */
  memoryAt(address: bigint, bytes: number): ForeignMemory;

  createStream(): BackendStream;
  destroyStream(stream: BackendStream): void;
  /** Later work in `stream` waits for the work issued to `other` so far. */
  orderAfter(stream: BackendStream, other: BackendStream): void;

  /** Takes a copy of `bytes` before it returns. */
  upload(stream: BackendStream, address: bigint, bytes: Uint8Array): void;
  /**
   * The bytes as they are when the stream comes to this point. Rejects with what failed before it: with all that the bytes may depend on, at least. `wanted`: all of the bytes, or some, where others lie
   * between elements; left out where nobody minds whether anything has written them.
   */
  download(stream: BackendStream, address: bigint, bytes: number, wanted?: "all" | "some"): Promise<Uint8Array>;
  /** Copies within the device when the stream comes to it; the two places do not overlap. */
  copy(stream: BackendStream, to: bigint, from: bigint, bytes: number): void;
  /** Repeats a pattern of 1, 2, 4 or 8 bytes `count` times. */
  fill(stream: BackendStream, address: bigint, pattern: Uint8Array, count: number): void;

  /** Stays on the device as long as somebody holds it, or a launch of it is under way. */
  loadModule(ptx: string, options: ModuleOptions): LoadedModule;
  /** A module of its own, with first values in its variables. `file`: what messages call it. Stays as long as somebody holds it or a kernel of it. */
  loadImage(ptx: string, file: string): ModuleImage;
  parameters(module: LoadedModule): ParameterBlock;
  /** Enqueues. What fails on the device later surfaces at the next `download` or `synchronize`. */
  launch(launch: Launch): void;

  /** The launches that `record` issues to the stream it is given, in their order. They do not run; their arguments are taken now. */
  capture(record: (stream: BackendStream) => void): BackendGraph;
  /** Enqueues all of them. What fails on the device later surfaces as for a launch. */
  launchGraph(graph: BackendGraph, stream: BackendStream): void;
  /** Launches of it that are under way go on. */
  destroyGraph(graph: BackendGraph): void;

  /** The 128 bytes of a tensor map over memory that begins at `address`. */
  encodeTensorMap(address: bigint, map: TiledMap | Im2colMap): Uint8Array;

  readonly textures: TextureBackend;

  createEvent(): BackendEvent;
  record(event: BackendEvent, stream: BackendStream): void;
  /** Whether the stream has passed the event. Never waits; true on a lost device. */
  passed(event: BackendEvent): boolean;
  /** Resolves when the stream has passed the event; never blocks the event loop. */
  reached(event: BackendEvent): Promise<void>;
  /** Microseconds between two events that have been reached. */
  elapsed(from: BackendEvent, to: BackendEvent): number;
  destroyEvent(event: BackendEvent): void;

  /** Resolves when everything issued to the stream (all streams without one) is done, or rejects with what went wrong there and nobody has been told of. */
  synchronize(stream?: BackendStream): Promise<void>;
  /** Waits for everything, and gives what has failed of that which had been issued when an earlier failure was reported. */
  failedBehind?(): Promise<unknown>;
  /** What has failed and nobody has been told of, as far as it is known without waiting. */
  untold?(): unknown;
  /** Frees everything. Safe on a device that was lost. */
  dispose(): Promise<void>;
}
