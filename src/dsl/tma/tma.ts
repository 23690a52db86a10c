import { optionsOf, refuseMore } from "../../base/diag/index.ts";
import {
  boxBytes,
  checkBeginning,
  type Im2colMap,
  type Interleave,
  im2colMap,
  isSpec,
  type L2Promotion,
  type MappedTensor,
  type TiledMap,
  tiledMap,
} from "../../base/tensor-map.ts";
import type { Dims, DType, Shape, Swizzle, TensorSpec } from "../../base/types.ts";
import type { Value } from "../../ir/index.ts";
import type { CacheHint } from "../memory/cache-hint.ts";
import type { Indices, SharedView, Tensor } from "../memory/types.ts";
import { checkOptionsHere } from "../numbers/describe.ts";
import { type FencedMap, type Mbarrier, tensorMapOf } from "../sync/index.ts";
import { failHere, spansHere } from "../trace/fail-here.ts";
import { isStagedScalar } from "../trace/scalar.ts";
import { OwnObject, ownClass } from "../trace/staged.ts";
import { emitReplace, type MapChanges, mapAt } from "./replace.ts";
import { emitBoxPrefetch, emitLoads, emitPrefetch, emitReductions, emitStores, type ReduceOp } from "./transfer.ts";

/** The box of a tensor map and how it lies in shared memory. W2601, W4001–W4014. */
export interface TMAOptions {
  /** The box one instruction moves: elements per dimension, outermost first like `shape`, each at most 256. Innermost bytes: a multiple of 16, and at most the swizzle's width. */
  box: Shape;
  /** How rows of the box are permuted in shared memory: that of the view it is loaded into. Default "none". W4010, W4014. */
  swizzle?: Swizzle;
  /**
   * "16B" and "32B": for layouts such as NC/8HWC8, where the channels come in slices of so many bytes. Rank 3 at least; "32B" with swizzle
   * "32B" alone. Default "none". W4001, W4012.
   */
  interleave?: Interleave;
  /** How much a miss of the L2 cache brings into it. Default "none". W4014. */
  l2Promotion?: L2Promotion;
  /** What a load brings for elements outside the tensor: zeros, or of floats of 16 bits or more NaN. Default "zero". W4013. */
  oobFill?: "zero" | "nan";
  /** Every so-many-th element of the box per dimension, outermost first, 1 to 8. Default 1 each. W4011. */
  elementStrides?: Shape;
}

/** What a convolution's map takes instead of a box. */
export interface Im2colOptions extends Omit<TMAOptions, "box"> {
  /** The near corner of the filter's window: an offset per spatial dimension, outermost first. W4015, W4016, W4018. */
  lower: Shape;
  /** The far corner of the filter's window: an offset per spatial dimension, outermost first. W4015, W4016, W4018. */
  upper: Shape;
  /** Channels per pixel of a box: 1 to 256. W4017. */
  channels: number;
  /** Pixels of a box: 1 to 1024. W4017. */
  pixels: number;
}

const mapNames = { swizzle: true, interleave: true, l2Promotion: true, oobFill: true, elementStrides: true } as const;
const tiledOptions = optionsOf<TMAOptions>("new TMA()", { box: true, ...mapNames });
const windowNames = { lower: true, upper: true, channels: true, pixels: true } as const;
const im2colOptions = optionsOf<Im2colOptions>("TMA.im2col()", { ...windowNames, ...mapNames });

interface TransferOptions {
  /** Where false, this thread transfers nothing. Default true. */
  pred?: boolean;
  /** What the L2 cache does with the bytes. Default: as usual. */
  cacheHint?: CacheHint;
  /**
   * Whether the box may lie wholly outside of the tensor: a load then brings the fill alone, a store does nothing. Changes nothing on a GPU; without it
   * the emulator reports such a load (W9241), and under `strict` such a store (W9242). Default false. W2010.
   */
  outside?: boolean;
}
interface BoxOptions extends TransferOptions {
  /** The blocks of the cluster that get the box, one bit each, at the same address of their shared memory. Default: this one. W4509. */
  multicast?: number;
  /** Of a convolution's map: the position in the filter's window, a number per spatial dimension, innermost first. W4515. */
  offsets?: readonly number[];
}
const transferNames = { pred: true, cacheHint: true, outside: true } as const;
const loadOptions = optionsOf<BoxOptions>("load()", { multicast: true, offsets: true, ...transferNames });
const prefetchOptions = optionsOf<Pick<BoxOptions, "pred" | "offsets">>("prefetchBox()", { pred: true, offsets: true });
const storeOptions = optionsOf<TransferOptions>("store()", transferNames);
const reduceOptions = optionsOf<TransferOptions>("reduce()", transferNames);

const replaceOptions = optionsOf<MapChanges<DType>>("replace()", { address: true, shape: true, strides: true });

/** A map that is made already: what a kernel's parameter is made of. */
class MadeMap {
  readonly map: TiledMap | Im2colMap;
  /** Its extents in a kernel, where some of them are numbers of the launch. */
  readonly shape: readonly number[] | undefined;
  constructor(map: TiledMap | Im2colMap, shape?: readonly number[]) {
    this.map = map;
    this.shape = shape;
  }
}

/** What a map is made of: memory of a device, or a specification. */
interface TypedTensor<D extends DType, R extends number> extends MappedTensor {
  /** The type of the elements. */
  readonly dtype: D;
  /** How many dimensions there are. */
  readonly rank: R;
}

/** What JavaScript lets through where types are not checked. W4019. */
function checkGiven(tensor: unknown, options: unknown): void {
  const isTensor = isSpec(tensor);
  const hasBox = typeof options === "object" && options !== null && "box" in options && Array.isArray(options.box);
  if (!isTensor || !(hasBox || options instanceof MadeMap)) failHere("W4019", { tensor: isTensor });
}

/** The kernel's parameter that a map stands for, and the author's name of it. */
const parameters = new WeakMap<TMA, { readonly value: Value; readonly name: string }>();

/** Of a map in memory the parameter that it is made of. */
const sources = new WeakMap<TMA, Value>();

/**
 * A tensor map. Made on the host; used in kernels. Coordinates are in elements, innermost first, as the hardware has them. Every rule of
 * `cuTensorMapEncodeTiled` is checked by the constructor (W4001–W4018), and that the tensor's memory is still there (W7006, W7007). PTX ISA 5.5, 9.7.9.27.
 *
 * @example
 * ```ts
 * await using gpu = await openDevice();
 * const x = gpu.zeros("f16", [1024, 512]);
 * const map = new TMA(x, { box: [64, 64], swizzle: "128B" }); // a kernel takes it as `TMA<"f16", 2>`
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: `TMA` without arguments is a map of any type and rank
export class TMA<D extends DType = any, R extends number = any> extends OwnObject implements FencedMap {
  /** The type of the elements. */
  readonly dtype: D;
  /** Of the tensor, outermost first. Static, unless made dynamic. */
  readonly shape: Dims<R>;
  /** One entry per dimension, outermost first; for im2col `[pixels, channels]` with 1 for the dimensions between. */
  readonly box: Dims<R>;
  /** How rows of a box are permuted in shared memory. */
  readonly swizzle: Swizzle;
  /** Bytes of one box. A box that hangs over the edge still counts in full. */
  readonly bytes: number;
  /** What the hardware is told, innermost first. */
  readonly map: TiledMap | Im2colMap;
  /** What the map was made of: memory of a device, or a specification. */
  readonly tensor: TypedTensor<D, R>;
  /** Maps of one key make the same kernel. */
  readonly key: string;

  constructor(tensor: TypedTensor<D, R>, options: TMAOptions);
  constructor(tensor: TypedTensor<D, R>, options: TMAOptions | MadeMap) {
    refuseMore(TMA, arguments);
    super();
    checkGiven(tensor, options);
    this.tensor = tensor;
    this.map = options instanceof MadeMap ? options.map : newMap(tensor, options);
    this.dtype = tensor.dtype;
    const open = options instanceof MadeMap ? options.shape : undefined;
    this.shape = (open ?? tensor.shape) as Dims<R>;
    // One extent for each dimension of the map, which has those of the tensor.
    this.box = boxOf(this.map) as unknown as Dims<R>;
    this.swizzle = this.map.swizzle;
    this.bytes = boxBytes(this.map);
    this.key = open ? "" : JSON.stringify(this.map);
  }

  /** For convolutions over NHWC: corners of the filter's window and pixels per box. */
  static im2col<D extends DType, R extends number>(tensor: TensorSpec<D, R>, options: Im2colOptions): TMA<D, R> {
    checkOptionsHere(options, im2colOptions);
    if (!isSpec(tensor)) failHere("W4019", { tensor: false });
    const spec = tensor as MappedTensor;
    const map = im2colMap(spec, options, spansHere());
    checkBeginning(tensor, map, spansHere());
    return Reflect.construct(TMA, [tensor, new MadeMap(map)]);
  }

  /**
   * The map that lies in `room`, 128 bytes of global memory that begin at a multiple of 128: this one once `replace` has made it. Every thread that changes or
   * uses it calls this. W4502, W4521.
   */
  at(room: Tensor<"u8", 1>): TMA<D, R> {
    const { value, name } = parameterOf(this);
    const open = this.shape.map((extent, i) => [i, extent] as const).filter(([, extent]) => isStagedScalar(extent));
    const there = bindTMA<D, R>(mapAt(room), this, name, new Map(open));
    sources.set(there, sources.get(this) ?? value);
    return there;
  }

  /**
   * Makes the map that `at` named: the kernel's parameter with another beginning, extents or strides. All lanes of one warp call it together; what others
   * do with it comes behind a barrier and `fence.tensorMap(map)`, and no transfer of the map before may be under way. Limits of tensors are not checked. PTX
   * `tensormap.replace`, `tensormap.cp_fenceproxy` (9.7.9.28, 9.7.13.16). W2048, W3025, W4521–W4523.
   */
  replace(changes: MapChanges<D>): void {
    checkOptionsHere(changes, replaceOptions);
    const from =
      sources.get(this) ??
      failHere("W4521", { what: "a kernel's parameter", why: "only a map in memory changes: `map.at(room)`" });
    emitReplace(this, from, parameterOf(this).value, changes);
  }

  /** @internal */
  [tensorMapOf](): Value {
    return parameterOf(this).value;
  }

  /** Brings the map itself into the cache, so that the first load of it waits for less. One thread is enough. PTX `prefetch.tensormap`. W4502. */
  prefetch(): void {
    emitPrefetch(parameterOf(this).value);
  }

  /**
   * Brings the box at `coords` into the L2 cache, asynchronous: a later `load` of it waits for less. Nothing tells when it is there. One
   * thread calls it. PTX `cp.async.bulk.prefetch.tensor`. W4502, W4508, W4515, W4518.
   */
  prefetchBox(coords: Indices<R>, options: Pick<BoxOptions, "pred" | "offsets"> = {}): void {
    checkOptionsHere(options, prefetchOptions);
    emitBoxPrefetch(this, parameterOf(this), coords, options);
  }

  /**
   * Global to shared, asynchronous: completes `dst.bytes` on `mbarrier`. One thread calls it. A `dst` of several boxes is loaded box by
   * box. `coords`: the first element, innermost first, `[column, row]` of a matrix. What lies outside of the tensor comes as the map's `oobFill`; where all of it
   * does, say `outside`. `multicast`: one bit per block of the cluster. PTX `cp.async.bulk.tensor`. W4502–W4509, W4515–W4518, W9241.
   */
  load(dst: SharedView<D>, mbarrier: Mbarrier, coords: Indices<R>, options: BoxOptions = {}): void {
    checkOptionsHere(options, loadOptions);
    emitLoads(this, parameterOf(this), dst, mbarrier, coords, options);
  }

  /**
   * Shared to global, asynchronous: part of the bulk group that `tma.commit()` closes. One thread calls it, after a fence. `coords` are innermost first; what
   * lies behind the end of the tensor is not stored. A row of the tensor that ends
   * inside 16 bytes is stored to their end: a launch that would write over others' elements so is W7675, and W9228 on the emulator.
   */
  store(src: SharedView<D>, coords: Indices<R>, options: TransferOptions = {}): void {
    checkOptionsHere(options, storeOptions);
    emitStores(this, parameterOf(this), src, coords, options);
  }

  /** Like a store, but combines with what is there, element by element. W4514, W7675. */
  reduce(op: ReduceOp, src: SharedView<D>, coords: Indices<R>, options: TransferOptions = {}): void {
    checkOptionsHere(options, reduceOptions);
    emitReductions(this, parameterOf(this), op, src, coords, options);
  }
}

/** W2601, W4001–W4014, W7006, W7007. */
function newMap(tensor: MappedTensor, options: TMAOptions): TiledMap {
  checkOptionsHere(options, tiledOptions);
  const map = tiledMap(tensor, options, spansHere());
  checkBeginning(tensor, map, spansHere());
  return map;
}

function boxOf(map: TiledMap | Im2colMap): number[] {
  if (map.mode === "im2col") return [map.pixels, ...new Array<number>(map.dims.length - 2).fill(1), map.channels];
  return map.box.map((extent, i) => Math.ceil(extent / (map.elementStrides[i] ?? 1))).toReversed();
}

function parameterOf(map: TMA): { readonly value: Value; readonly name: string } {
  return parameters.get(map) ?? failHere("W4502", { shape: map.shape.join(", ") });
}

/** A map of whose tensor only the extents are known that are static, and those of the launch as its numbers. */
function openMap<D extends DType, R extends number>(
  tma: TMA<D, R>,
  name: string,
  extents: ReadonlyMap<number, number>,
): TMA<D, R> {
  const { dtype, rank } = tma.tensor;
  const tensor = hiding({ dtype, rank }, ["shape", "strides"], name);
  const map = hiding(tma.map, ["dims", "strides"], name);
  const open = tma.shape.map((extent: number, i: number) => extents.get(i) ?? extent);
  return Reflect.construct(TMA, [tensor, new MadeMap(map, open)]);
}

/** What compiled code knows of a map of which these dimensions are the launch's: neither their extents nor how far apart anything lies. */
export function dynamicKey({ map }: TMA, dynamic: readonly number[]): string {
  const innermost = map.dims.length - 1;
  const dims = map.dims.map((extent, i) => (dynamic.includes(innermost - i) ? "?" : extent));
  return JSON.stringify({ ...map, dims, strides: "?" });
}

/** The same without what is not known in a kernel. W7670. */
function hiding<T extends object, H extends string>(
  object: T,
  hidden: readonly H[],
  name: string,
): T & Readonly<Record<H, never>> {
  const shown = Object.entries(Object.getOwnPropertyDescriptors(object)).filter(
    ([field]) => !(hidden as readonly string[]).includes(field),
  );
  const unknown = hidden.map((field) => [field, { enumerable: true, get: () => failHere("W7670", { name }) }]);
  return Object.create(Object.prototype, Object.fromEntries([...shown, ...unknown]));
}

/** What stands for a tensor map in a kernel: `value` is the parameter, `extents` those of its dimensions that are numbers of the launch. */
export function bindTMA<D extends DType, R extends number>(
  value: Value,
  tma: TMA<D, R>,
  name: string,
  extents: ReadonlyMap<number, number> = new Map(),
): TMA<D, R> {
  const bound: TMA<D, R> =
    extents.size > 0 ? openMap(tma, name, extents) : Reflect.construct(TMA, [tma.tensor, new MadeMap(tma.map)]);
  parameters.set(bound, { value, name });
  return bound;
}
ownClass(TMA);
