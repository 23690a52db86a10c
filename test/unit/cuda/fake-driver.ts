/**
 * A libcuda of JavaScript: the functions of the symbol table over buffers. It records the calls, runs streams in order, can hold a
 * stream back, and fails where it is told to. Kernels are JavaScript functions by entry name.
 */
import { writeFileSync } from "node:fs";
import type { Driver, DriverLibrary, HostMemory, OptionalSymbolName, SymbolName } from "../../../src/cuda/symbols.ts";
import { optionalSymbols, symbols } from "../../../src/cuda/symbols.ts";

type Argument = ArrayBufferView | bigint | number | string | null;

export interface FakeKernel {
  readonly registers?: number;
  readonly localBytes?: number;
  /** What a launch does; a number is the CUresult that ruins the device. */
  readonly run?: (launch: FakeLaunch) => number | undefined;
  /** A launch never ends; what it leaves in the device's memory before. */
  readonly hangs?: (launch: FakeLaunch, memoryAt: (address: bigint, bytes: number) => Uint8Array) => void;
  /** The GPU stops a launch, and the driver writes this, where it was asked to; it goes on as if nothing had failed then. Else the device is lost at once. */
  readonly dumps?: (launch: FakeLaunch) => Uint8Array;
  /** How long a launch takes by the clock of events, in milliseconds. */
  readonly takes?: (launch: FakeLaunch) => number;
}

export interface FakeLaunch {
  readonly entry: string;
  readonly grid: readonly number[];
  readonly block: readonly number[];
  readonly sharedBytes: number;
  readonly stream: bigint;
  /** The bytes of each parameter. */
  readonly parameters: readonly Uint8Array[];
  readonly attributes: readonly (readonly number[])[];
}

export interface FakeOptions {
  readonly devices?: readonly { readonly name: string; readonly major: number; readonly minor: number }[];
  readonly version?: number;
  readonly pools?: boolean;
  /** It can dump the failures of contexts that were made with that flag. `"others"`: somebody has asked for those of all contexts. */
  readonly coreDumps?: true | "others";
  readonly memoryBytes?: number;
  /** Default: 50 MiB. */
  readonly l2Bytes?: number;
  /** Variables of every module, with their first values. Each module that is loaded has its own. */
  readonly variables?: Readonly<Record<string, Uint8Array>>;
  /** By entry name: bytes of its parameters and what it does. */
  readonly kernels?: Readonly<Record<string, FakeKernel & { readonly parameterBytes: readonly number[] }>>;
}

type Bytes = Pick<Uint8Array, "length" | "subarray">;

/** Memory full of 0xcd, made when somebody first looks: what is only compiled for a device touches none of the tensors there. */
class Untouched implements Bytes {
  readonly length: number;
  #bytes: Uint8Array<ArrayBuffer> | undefined;

  constructor(length: number) {
    this.length = length;
  }

  subarray(begin?: number, end?: number): Uint8Array<ArrayBuffer> {
    this.#bytes ??= new Uint8Array(this.length).fill(0xcd);
    return this.#bytes.subarray(begin, end);
  }
}

const OOM = 2;
const invalid = 1;
const notReady = 600;

export class FakeDriver {
  readonly calls: { readonly name: SymbolName; readonly args: readonly Argument[] }[] = [];
  readonly launches: FakeLaunch[] = [];
  /** Results to give instead of doing anything, by function, each used once. */
  readonly refuse = new Map<SymbolName | OptionalSymbolName, number[]>();
  /** What the assembler writes to its log. */
  jitLog = "";
  /** What the assembler says of PTX that it takes. */
  jitInfo = "";
  /** Memory that the driver knows, and that kernels of this device cannot use. */
  readonly others: { readonly begin: bigint; readonly bytes: number }[] = [];
  readonly library: DriverLibrary;
  readonly options: FakeOptions;
  #next = 0x7000_0000_0000n;
  readonly #device = new Map<bigint, Bytes>();
  readonly #host = new Map<bigint, Uint8Array>();
  readonly #addresses = new WeakMap<ArrayBufferLike, bigint>();
  readonly #buffers: { readonly base: bigint; readonly buffer: ArrayBufferLike }[] = [];
  /** Work of each stream; it gives false while it has to wait. */
  readonly #streams = new Map<bigint, (() => boolean)[]>();
  readonly #held = new Set<bigint>();
  readonly #events = new Map<bigint, { recorded: number; readonly done: Set<number>; time: number }>();
  readonly #functions = new Map<bigint, string>();
  /** Addresses by module and name. */
  readonly #variables = new Map<string, bigint>();
  /** What each stream that is captured has been given. */
  readonly #captures = new Map<bigint, FakeLaunch[]>();
  readonly #graphs = new Map<bigint, readonly FakeLaunch[]>();
  #clock = 0;
  #broken = 0;
  readonly arrays = new Map<bigint, Uint8Array>();
  /** Texture and surface objects. */
  readonly objects = new Set<bigint>();
  currentContext = 0n;
  contexts = 0;
  /** Of the primary context, and by attribute what it was told of dumps. */
  contextFlags = 0;
  readonly dumpAttributes = new Map<number, Uint8Array>();

  constructor(options: FakeOptions = {}) {
    this.options = options;
    const driver: Record<string, unknown> = {};
    for (const name of Object.keys(symbols) as SymbolName[]) driver[name] = (...args: Argument[]) => this.#call(name, args);
    if (options.coreDumps)
      for (const name of Object.keys(optionalSymbols) as OptionalSymbolName[])
        driver[name] = (...args: Argument[]) => this.refuse.get(name)?.shift() ?? this.#dumping(name, args);
    const memory: HostMemory = {
      addressOf: (view) => this.#addressOf(view),
      viewOf: (address, bytes) => {
        const found = this.#host.get(address);
        if (!found || found.length < bytes) throw new Error(`no host memory at ${address}`);
        return found.subarray(0, bytes);
      },
    };
    this.library = { driver: driver as unknown as Driver, memory };
  }

  /** Keeps a stream from doing anything until it is let go. */
  hold(stream: bigint): void {
    this.#held.add(stream);
  }

  letGo(stream: bigint): void {
    this.#held.delete(stream);
    this.#runAll();
  }

  get liveBytes(): number {
    return [...this.#device.values()].reduce((sum, bytes) => sum + bytes.length, 0);
  }

  get livePinned(): number {
    return this.#host.size;
  }

  get liveGraphs(): number {
    return this.#graphs.size;
  }

  countOf(name: SymbolName): number {
    return this.calls.filter((call) => call.name === name).length;
  }

  /** A new address with `step` bytes of room before the next one. */
  #handle(step = 0x1000n): bigint {
    const address = this.#next;
    this.#next += step;
    return address;
  }

  #addressOf(view: ArrayBufferView): bigint {
    let base = this.#addresses.get(view.buffer);
    if (base === undefined) {
      // Not aligned on purpose: who needs alignment makes it.
      base = this.#handle(BigInt(view.buffer.byteLength) + 0x1000n) + 8n;
      this.#addresses.set(view.buffer, base);
      this.#buffers.push({ base, buffer: view.buffer });
    }
    return base + BigInt(view.byteOffset);
  }

  /** Host bytes behind a pointer argument. */
  #at(pointer: Argument, bytes: number): Uint8Array {
    if (ArrayBuffer.isView(pointer)) return new Uint8Array(pointer.buffer, pointer.byteOffset, bytes);
    const address = pointer as bigint;
    for (const [base, buffer] of this.#host)
      if (address >= base && address + BigInt(bytes) <= base + BigInt(buffer.length))
        return buffer.subarray(Number(address - base), Number(address - base) + bytes);
    for (const { base, buffer } of this.#buffers) {
      if (address >= base && address + BigInt(bytes) <= base + BigInt(buffer.byteLength))
        return new Uint8Array(buffer, Number(address - base), bytes);
    }
    throw new Error(`no host memory at ${address}`);
  }

  /** Device bytes, also host memory that is mapped. */
  memoryAt(address: bigint, bytes: number): Uint8Array {
    for (const [base, buffer] of [...this.#device, ...this.#host]) {
      if (address >= base && address + BigInt(bytes) <= base + BigInt(buffer.length))
        return buffer.subarray(Number(address - base), Number(address - base) + bytes);
    }
    throw new Error(`no device memory at ${address}`);
  }

  #put64(pointer: Argument, value: bigint): number {
    (pointer as BigUint64Array)[0] = value;
    return 0;
  }

  #put32(pointer: Argument, value: number): number {
    (pointer as Int32Array)[0] = value;
    return 0;
  }

  #enqueue(stream: bigint, work: () => unknown): number {
    const queue = this.#streams.get(stream);
    if (!queue) return 400;
    if (this.#captures.has(stream)) return 900;
    queue.push(() => work() !== false);
    this.#runAll();
    return 0;
  }

  #runAll(): void {
    for (let moved = true; moved; ) {
      moved = false;
      for (const [stream, queue] of this.#streams) {
        while (!this.#held.has(stream) && this.#broken === 0 && queue[0]?.()) {
          queue.shift();
          moved = true;
        }
      }
    }
  }

  #call(name: SymbolName, args: Argument[]): number {
    this.calls.push({ name, args });
    const planned = this.refuse.get(name)?.shift();
    if (planned !== undefined) return planned;
    const harmless =
      name.startsWith("cuMemFree") || name.includes("Destroy") || name.includes("Release") || name === "cuModuleUnload";
    if (this.#broken && !harmless && !name.startsWith("cuDevice") && name !== "cuInit") return this.#broken;
    return this.#do(name, args);
  }

  #dumping(name: OptionalSymbolName, a: Argument[]): number {
    switch (name) {
      case "cuDevicePrimaryCtxGetState":
        (a[1] as Uint32Array)[0] = this.contextFlags;
        return this.#put32(a[2]!, Math.min(1, this.contexts));
      case "cuDevicePrimaryCtxSetFlags_v2":
        this.contextFlags = Number(a[1]);
        return 0;
      case "cuCoredumpGetAttributeGlobal":
        (a[1] as Uint8Array)[0] = this.options.coreDumps === "others" ? 1 : 0;
        return 0;
      default:
        if (this.currentContext === 0n) return 201;
        this.dumpAttributes.set(Number(a[0]), new Uint8Array((a[1] as Uint8Array).buffer.slice(0)));
        return 0;
    }
  }

  /** Whether the driver has written the dump of a launch. */
  #dump(bytes: Uint8Array): boolean {
    const [on, file] = [this.dumpAttributes.get(1), this.dumpAttributes.get(5)];
    if ((this.contextFlags & 0x20) === 0 || on?.[0] !== 1 || !file) return false;
    writeFileSync(new TextDecoder().decode(file.subarray(0, -1)), bytes);
    return true;
  }

  #do(name: SymbolName, a: Argument[]): number {
    const devices = this.options.devices ?? [{ name: "Fake H200", major: 9, minor: 0 }];
    switch (name) {
      case "cuInit":
        return devices.length === 0 ? 100 : 0;
      case "cuDriverGetVersion":
        return this.#put32(a[0]!, this.options.version ?? 12040);
      case "cuDeviceGetCount":
        return this.#put32(a[0]!, devices.length);
      case "cuDeviceGet":
        return Number(a[1]) < devices.length ? this.#put32(a[0]!, Number(a[1])) : 101;
      case "cuDeviceGetName":
        (a[0] as Uint8Array).set(new TextEncoder().encode(`${devices[Number(a[2])]?.name}\0`));
        return 0;
      case "cuDeviceGetAttribute": {
        const device = devices[Number(a[2])];
        const values: Record<number, number | undefined> = {
          16: 132,
          38: this.options.l2Bytes ?? 50 * 1024 * 1024,
          75: device?.major,
          76: device?.minor,
          115: this.options.pools === false ? 0 : 1,
        };
        return this.#put32(a[0]!, values[Number(a[1])] ?? 0);
      }
      case "cuDeviceGetDefaultMemPool":
        return this.#put64(a[0]!, this.#handle());
      case "cuMemPoolSetAttribute":
        return (a[2] as BigUint64Array)[0] === 2n ** 64n - 1n ? 0 : invalid;
      case "cuDevicePrimaryCtxRetain":
        this.contexts++;
        return this.#put64(a[0]!, 0xc0ffeen);
      case "cuDevicePrimaryCtxRelease_v2":
        this.contexts--;
        return 0;
      case "cuCtxSetCurrent":
        this.currentContext = a[0] as bigint;
        return 0;
      default:
        return this.currentContext === 0n ? 201 : this.#doInContext(name, a);
    }
  }

  #doInContext(name: SymbolName, a: Argument[]): number {
    switch (name) {
      case "cuMemGetInfo_v2":
        this.#put64(a[0]!, BigInt((this.options.memoryBytes ?? 2 ** 30) - this.liveBytes));
        return this.#put64(a[1]!, BigInt(this.options.memoryBytes ?? 2 ** 30));
      case "cuMemAlloc_v2":
      case "cuMemAllocAsync": {
        const size = Number(a[1]);
        if (this.liveBytes + size > (this.options.memoryBytes ?? 2 ** 30)) return OOM;
        const address = (this.#handle(BigInt(size) + 0x1000n) / 256n) * 256n;
        // What no array holds is there in name alone.
        this.#device.set(address, new Untouched(size < 2 ** 32 ? size : 0));
        return this.#put64(a[0]!, address);
      }
      case "cuMemFree_v2":
        return this.#device.delete(a[0] as bigint) ? 0 : invalid;
      case "cuMemFreeAsync":
        return this.#enqueue(a[1] as bigint, () => void this.#device.delete(a[0] as bigint));
      case "cuMemHostAlloc": {
        const address = this.#handle(BigInt(Number(a[1])) + 0x1000n);
        this.#host.set(address, new Uint8Array(Number(a[1])).fill(0xee));
        return this.#put64(a[0]!, address);
      }
      case "cuMemFreeHost": {
        const bytes = this.#host.get(a[0] as bigint);
        bytes?.fill(0xdd);
        return this.#host.delete(a[0] as bigint) ? 0 : invalid;
      }
      case "cuPointerGetAttribute":
        return this.#attribute(a[0]!, Number(a[1]), a[2] as bigint);
      case "cuMemHostGetDevicePointer_v2":
        return this.#put64(a[0]!, a[1] as bigint);
      case "cuMemcpyHtoDAsync_v2":
        return this.#enqueue(a[3] as bigint, () =>
          this.memoryAt(a[0] as bigint, Number(a[2])).set(this.#at(a[1]!, Number(a[2]))),
        );
      case "cuMemcpyDtoHAsync_v2":
        return this.#enqueue(a[3] as bigint, () =>
          this.#at(a[0]!, Number(a[2])).set(this.memoryAt(a[1] as bigint, Number(a[2]))),
        );
      case "cuMemcpyDtoDAsync_v2":
        return this.#enqueue(a[3] as bigint, () =>
          this.memoryAt(a[0] as bigint, Number(a[2])).set(this.memoryAt(a[1] as bigint, Number(a[2])).slice()),
        );
      case "cuMemsetD8Async":
        return this.#set(a, 1);
      case "cuMemsetD16Async":
        return this.#set(a, 2);
      case "cuMemsetD32Async":
        return this.#set(a, 4);
      default:
        return this.#doInStream(name, a);
    }
  }

  /** Of memory of the device, of mapped memory of the host, and of what another library has put into `others`. */
  #attribute(out: Argument, attribute: number, address: bigint): number {
    const holds = ([begin, bytes]: readonly [bigint, { readonly length: number }]): boolean =>
      address >= begin && address < begin + BigInt(bytes.length);
    if (this.others.some(({ begin, bytes }) => holds([begin, { length: bytes }])))
      return attribute === 2 ? this.#put64(out, 2n) : invalid;
    const found = [...this.#device, ...this.#host].find(holds);
    if (!found) return invalid;
    const values: Record<number, bigint> = { 2: 2n, 3: address, 11: found[0], 12: BigInt(found[1].length) };
    const value = values[attribute];
    return value === undefined ? invalid : this.#put64(out, value);
  }

  #set([address, value, count, stream]: Argument[], size: 1 | 2 | 4): number {
    return this.#enqueue(stream as bigint, () => {
      const bytes = this.memoryAt(address as bigint, Number(count) * size);
      for (let i = 0; i < bytes.length; i++) bytes[i] = (Number(value) >>> (8 * (i % size))) & 0xff;
    });
  }

  #doInStream(name: SymbolName, a: Argument[]): number {
    switch (name) {
      case "cuStreamCreate": {
        const stream = this.#handle();
        this.#streams.set(stream, []);
        return this.#put64(a[0]!, stream);
      }
      case "cuStreamDestroy_v2":
        return this.#streams.delete(a[0] as bigint) ? 0 : 400;
      case "cuStreamBeginCapture_v2":
        if (!this.#streams.has(a[0] as bigint) || a[1] !== 2) return invalid;
        this.#captures.set(a[0] as bigint, []);
        return 0;
      case "cuStreamEndCapture": {
        const launches = this.#captures.get(a[0] as bigint);
        if (!this.#captures.delete(a[0] as bigint)) return 401;
        return this.#addGraph(a[1]!, launches ?? []);
      }
      case "cuGraphInstantiateWithFlags": {
        const launches = this.#graphs.get(a[1] as bigint);
        return launches && a[2] === 0n ? this.#addGraph(a[0]!, launches) : invalid;
      }
      case "cuGraphDestroy":
      case "cuGraphExecDestroy":
        return this.#graphs.delete(a[0] as bigint) ? 0 : invalid;
      case "cuGraphLaunch": {
        const launches = this.#graphs.get(a[0] as bigint);
        for (const launch of launches ?? []) this.#issue({ ...launch, stream: a[1] as bigint });
        return launches ? 0 : invalid;
      }
      case "cuStreamWaitEvent": {
        const event = this.#events.get(a[1] as bigint);
        if (!event) return 400;
        const generation = event.recorded;
        return this.#enqueue(a[0] as bigint, () => generation === 0 || event.done.has(generation));
      }
      case "cuEventCreate": {
        const event = this.#handle();
        this.#events.set(event, { recorded: 0, done: new Set(), time: 0 });
        return this.#put64(a[0]!, event);
      }
      case "cuEventDestroy_v2":
        return this.#events.delete(a[0] as bigint) ? 0 : 400;
      case "cuEventRecord": {
        const event = this.#events.get(a[0] as bigint);
        if (!event) return 400;
        const generation = ++event.recorded;
        return this.#enqueue(a[1] as bigint, () => {
          event.done.add(generation);
          this.#clock += 0.25;
          event.time = this.#clock;
        });
      }
      case "cuEventQuery": {
        const event = this.#events.get(a[0] as bigint);
        if (!event) return 400;
        return event.recorded === 0 || event.done.has(event.recorded) ? 0 : notReady;
      }
      case "cuEventElapsedTime": {
        const [from, to] = [this.#events.get(a[1] as bigint), this.#events.get(a[2] as bigint)];
        (a[0] as Float32Array)[0] = (to?.time ?? 0) - (from?.time ?? 0);
        return from && to ? 0 : 400;
      }
      default:
        return this.#doWithModule(name, a);
    }
  }

  /** What an assembler would say of PTX, or of an image that this driver made. */
  #assemble(text: string, log: Uint8Array | undefined): number {
    if (text.includes(".version")) return 0;
    log?.set(new TextEncoder().encode(`${this.jitLog}\0`));
    return 218;
  }

  #doWithModule(name: SymbolName, a: Argument[]): number {
    switch (name) {
      case "cuModuleLoadDataEx": {
        const text = new TextDecoder().decode(a[1] as Uint8Array);
        const values = a[4] as BigUint64Array | null;
        const log = values ? this.#at(values[0]!, Number(values[1])) : undefined;
        const code = text.startsWith("CUBIN ") ? 0 : this.#assemble(text, log);
        const keys = a[3] as Int32Array | null;
        const info = keys && values ? keys.indexOf(3) : -1;
        if (values && info >= 0 && code === 0)
          this.#at(values[info]!, Number(values[info + 1])).set(new TextEncoder().encode(`${this.jitInfo}\0`));
        return code === 0 ? this.#put64(a[0]!, this.#handle()) : code;
      }
      case "cuModuleUnload":
        return 0;
      case "cuModuleGetGlobal_v2": {
        const initial = this.options.variables?.[a[3] as string];
        if (!initial) return 500;
        const key = `${a[2]} ${a[3]}`;
        const address = this.#variables.get(key) ?? this.#handle(BigInt(initial.length) + 0x1000n);
        if (!this.#variables.has(key)) this.#device.set(address, initial.slice());
        this.#variables.set(key, address);
        this.#put64(a[1]!, BigInt(initial.length));
        return this.#put64(a[0]!, address);
      }
      case "cuModuleGetFunction": {
        if (!this.options.kernels?.[a[2] as string]) return 500;
        const handle = this.#handle();
        this.#functions.set(handle, a[2] as string);
        return this.#put64(a[0]!, handle);
      }
      case "cuFuncGetAttribute": {
        const kernel = this.options.kernels?.[this.#functions.get(a[2] as bigint) ?? ""];
        const values: Record<number, number | undefined> = { 0: 1024, 1: 0, 3: kernel?.localBytes, 4: kernel?.registers ?? 32 };
        return this.#put32(a[0]!, values[Number(a[1])] ?? 0);
      }
      case "cuFuncSetAttribute":
        return 0;
      case "cuOccupancyMaxActiveBlocksPerMultiprocessor":
        return this.#put32(a[0]!, Math.floor(2048 / Number(a[2])));
      case "cuLaunchKernel":
        return this.#launch(a[0] as bigint, a.slice(1, 7).map(Number), Number(a[7]), a[8] as bigint, a[9]!, []);
      case "cuLaunchKernelEx":
        return this.#launchEx(a);
      default:
        return this.#doWithTextures(name, a);
    }
  }

  /** Arrays hold their bytes row after row; objects are what they were made of. */
  #doWithTextures(name: SymbolName, a: Argument[]): number {
    const view = (pointer: Argument, bytes: number): DataView => {
      const found = this.#at(pointer, bytes);
      return new DataView(found.buffer, found.byteOffset, bytes);
    };
    switch (name) {
      case "cuArray3DCreate_v2": {
        const handle = this.#handle();
        this.arrays.set(handle, new Uint8Array(4096));
        return this.#put64(a[0]!, handle);
      }
      case "cuArrayDestroy":
        return this.arrays.delete(a[0] as bigint) ? 0 : 400;
      case "cuTexObjectCreate":
      case "cuSurfObjectCreate": {
        const resource = view(a[1]!, 144);
        const array = resource.getUint32(0, true) === 0;
        if (array && !this.arrays.has(resource.getBigUint64(8, true))) return 400;
        const handle = this.#handle();
        this.objects.add(handle);
        return this.#put64(a[0]!, handle);
      }
      case "cuTexObjectDestroy":
      case "cuSurfObjectDestroy":
        return this.objects.delete(a[0] as bigint) ? 0 : 400;
      case "cuMemcpy3DAsync_v2": {
        const copy = view(a[0]!, 200);
        const word = (at: number): bigint => copy.getBigUint64(at, true);
        const size = Number(word(176) * word(184) * word(192));
        const side = (from: number): Uint8Array | undefined =>
          copy.getUint32(from + 32, true) === 3 ? this.arrays.get(word(from + 56)) : this.memoryAt(word(from + 48), size);
        const [source, target] = [side(0), side(88)];
        if (!source || !target) return invalid;
        return this.#enqueue(a[1] as bigint, () => target.set(source.subarray(0, size)));
      }
      default:
        return this.#encode(name, a);
    }
  }

  #launchEx([config, handle, pointers]: Argument[]): number {
    const bytes = this.#at(config!, 56);
    const view = new DataView(bytes.buffer, bytes.byteOffset, 56);
    const word = (at: number): number => view.getUint32(at, true);
    const count = word(48);
    const raw = count > 0 ? this.#at(view.getBigUint64(40, true), 72 * count) : new Uint8Array();
    const attributes = Array.from({ length: count }, (_, i) => {
      const attribute = new DataView(raw.buffer, raw.byteOffset + 72 * i, 72);
      return [0, 8, 12, 16].map((at) => attribute.getUint32(at, true));
    });
    return this.#launch(
      handle as bigint,
      [0, 4, 8, 12, 16, 20].map(word),
      word(24),
      view.getBigUint64(32, true),
      pointers!,
      attributes,
    );
  }

  #launch(
    handle: bigint,
    extents: number[],
    sharedBytes: number,
    stream: bigint,
    pointers: Argument,
    attributes: number[][],
  ): number {
    const entry = this.#functions.get(handle);
    const kernel = entry === undefined ? undefined : this.options.kernels?.[entry];
    if (!kernel || entry === undefined) return 400;
    const parameters = kernel.parameterBytes.map((bytes, i) => this.#at((pointers as BigUint64Array)[i]!, bytes).slice());
    const launch = { entry, grid: extents.slice(0, 3), block: extents.slice(3), sharedBytes, stream, parameters, attributes };
    const captured = this.#captures.get(stream);
    captured?.push(launch);
    return captured ? 0 : this.#issue(launch);
  }

  #issue(launch: FakeLaunch): number {
    this.launches.push(launch);
    let begun = false;
    return this.#enqueue(launch.stream, () => {
      const kernel = this.options.kernels?.[launch.entry];
      if (kernel?.hangs) {
        if (!begun) kernel.hangs(launch, (address, bytes) => this.memoryAt(address, bytes));
        begun = true;
        return false;
      }
      this.#clock += kernel?.takes?.(launch) ?? 0;
      const dump = kernel?.dumps?.(launch);
      this.#broken = dump && !this.#dump(dump) ? 719 : (kernel?.run?.(launch) ?? 0);
      return true;
    });
  }

  #addGraph(out: Argument, launches: readonly FakeLaunch[]): number {
    const graph = this.#handle();
    this.#graphs.set(graph, launches);
    return this.#put64(out, graph);
  }

  #encode(name: SymbolName, a: Argument[]): number {
    const target = a[0] as Uint8Array;
    if (this.#addressOf(target) % 64n !== 0n) return invalid;
    target.fill(name === "cuTensorMapEncodeTiled" ? 0x11 : 0x22);
    return 0;
  }
}
