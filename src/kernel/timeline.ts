import { warpSize } from "../base/target.ts";
import { type ProfileData, type RecordedLaunch, readTimeline } from "../inspect/profile/index.ts";
import type { BackendStream, DeviceBackend, MappedMemory } from "../runtime/index.ts";
import { sortArguments } from "./arguments.ts";
import type { Prepared } from "./launch.ts";
import { hiddenViews } from "./parameters.ts";
import type { KernelSource } from "./source.ts";

/** Bytes of device memory for the records of one launch, all its warps together. */
const memory = 2 ** 26;
/** Binary logarithms of the bytes of a warp's slice. */
const [leastSlice, mostSlice] = [14, 18];
/** The parameter's low bits are no address. */
const alignment = 4096;

/** Cycles within which a wait for what has come already is over. */
const atOnce = { cuda: 64, emulator: 0 } as const;

/** How much is recorded: binary logarithms of the bytes of a slice, and of how many blocks have slices. */
interface Room {
  readonly slice: number;
  readonly blockBits: number;
  readonly blocks: number;
  readonly warps: number;
}

const product = (numbers: readonly number[]): number => numbers.reduce((a, b) => a * b, 1);

/** All blocks where each of their warps gets a slice that is worth it, else the first ones. */
export function roomFor(grid: readonly number[], block: readonly number[]): Room {
  const [blocks, warps] = [product(grid), Math.ceil(product(block) / warpSize)];
  const fits = Math.floor(Math.log2(memory / (blocks * warps)));
  if (fits >= leastSlice) return { slice: Math.min(fits, mostSlice), blockBits: Math.ceil(Math.log2(blocks)), blocks, warps };
  const blockBits = Math.floor(Math.log2(memory / (2 ** leastSlice * warps)));
  return { slice: leastSlice, blockBits, blocks: Math.min(blocks, 2 ** blockBits), warps };
}

/** Memory that a launch records into. */
export interface TimelineBuffer {
  /** Overwrites all of it with zeros in the stream, `times` times. */
  clear(times: number): void;
  /** What the launch has recorded that is in the stream, when that comes to it. */
  download(): Promise<Uint8Array>;
  /** The same for who cannot wait: memory of the host that has it once the stream has come to it. */
  copy(): MappedMemory;
  read(found: Uint8Array, limit: number): ProfileData;
  free(): void;
}

/** Bytes of the box of each tensor map. */
function boxes(source: KernelSource, args: readonly unknown[]): ReadonlyMap<string, number> {
  const { params } = sortArguments(source, args);
  return new Map(params.flatMap((p): [string, number][] => (p.kind === "tma" ? [[p.name, p.tma.bytes]] : [])));
}

const aligned = (address: bigint, align: bigint): bigint => (address + align - 1n) & -align;

/** Memory of so many bytes from a multiple of `align` on, which crosses no multiple of 2^32: the kernel keeps half of an address. */
function allocateWithin(backend: DeviceBackend, bytes: bigint, align: bigint): bigint {
  const first = backend.allocate(Number(bytes + align));
  const address = aligned(first, align);
  if (address >> 32n === (address + bytes - 1n) >> 32n) return first;
  // What lies before the multiple is taken as long as the other memory is looked for.
  const second = allocateWithin(backend, bytes, align);
  backend.free(first);
  return second;
}

/** Memory of the host that kernels' records were copied to: as much of it is kept for the next one. */
const idle = new WeakMap<DeviceBackend, MappedMemory>();

function takeHost(backend: DeviceBackend, bytes: number): MappedMemory {
  const known = idle.get(backend);
  idle.delete(backend);
  if (known && known.bytes.length >= bytes) return known;
  known?.free();
  return backend.mapped(bytes);
}

function giveHost(backend: DeviceBackend, host: MappedMemory): void {
  if (idle.has(backend)) host.free();
  else idle.set(backend, host);
}

/** Makes room, and says to the next launch of `prepared` where it is. */
export function openTimeline(source: KernelSource, prepared: Prepared, stream: BackendStream): TimelineBuffer {
  const { backend, instance, grid, parameters, device, args } = prepared;
  const { block, cluster, buffers, timeline = [] } = instance;
  const room = roomFor(grid, block);
  const bytes = room.blocks * room.warps * 2 ** room.slice;
  // A slice begins at a multiple of its size.
  const align = BigInt(Math.max(alignment, 2 ** room.slice));
  const allocated = allocateWithin(backend, BigInt(bytes), align);
  const address = aligned(allocated, align);
  let host: MappedMemory | undefined;
  if (stream !== backend.defaultStream) backend.orderAfter(stream, backend.defaultStream);
  hiddenViews(parameters.views, instance.hidden, "timeline")[0]?.setBigUint64(
    0,
    address | BigInt(room.slice) | BigInt(room.blockBits << 6),
    true,
  );
  return {
    clear: (times) => {
      for (let i = 0; i < times; i++) backend.fill(stream, address, new Uint8Array(8), bytes / 8);
    },
    download: () => backend.download(stream, address, bytes),
    copy: () => {
      host = takeHost(backend, bytes);
      backend.copy(stream, host.address, address, bytes);
      return host;
    },
    read: (found, limit) => {
      const launch: RecordedLaunch = {
        ...{ kernel: source.name, device: device.name, grid, block, cluster, sites: timeline, buffers, limit },
        words: new Uint32Array(found.buffer, found.byteOffset, bytes / 4),
        sliceWords: 2 ** room.slice / 4,
        slicedBlocks: room.blocks,
        boxBytes: boxes(source, args),
        atOnce: atOnce[backend.kind],
      };
      return readTimeline(launch);
    },
    free: () => {
      backend.free(allocated);
      if (host) giveHost(backend, host);
    },
  };
}
