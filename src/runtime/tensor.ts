import { display, exactMethods, noSpans, type Spans } from "../base/diag/index.ts";
import { firstAddress } from "../base/tensor-map.ts";
import type { Dims, DType, Element, Shape } from "../base/types.ts";
import { reading } from "./awaited.ts";
import { checkDType, elementBytes } from "./dtype.ts";
import { fail } from "./errors/index.ts";
import { checkOpen, type Home, type RuntimeStream, refuseCaptured, Storage, settle } from "./home.ts";
import { decodeElements, encodeElements } from "./host-array.ts";
import {
  checkShape,
  countElements,
  gather,
  isRowMajor,
  memoryOrder,
  reshapedStrides,
  rowMajorStrides,
  spanElements,
} from "./shape.ts";
import type { Device, DeviceTensor, HostArrayOf } from "./types.ts";

interface View<D extends DType> {
  readonly dtype: D;
  readonly shape: Shape;
  readonly strides: Shape;
  /** Bytes from the memory's beginning to the first element. */
  readonly offset: number;
}

/** A tensor of any backend: typed, strided memory. */
export class MemoryTensor<D extends DType = DType, R extends number = number> implements DeviceTensor<D, R> {
  readonly dtype: D;
  readonly rank: R;
  readonly shape: Dims<R>;
  readonly strides: Dims<R>;
  readonly #offset: number;
  readonly #storage: Storage;
  /** Whether `dispose` frees the memory. */
  readonly #owner: boolean;
  #disposed = false;

  constructor(storage: Storage, view: View<D>, owner: boolean) {
    this.dtype = view.dtype;
    this.rank = view.shape.length as R;
    this.shape = Object.freeze([...view.shape]) as readonly number[] as Dims<R>;
    this.strides = Object.freeze([...view.strides]) as readonly number[] as Dims<R>;
    this.#offset = view.offset;
    this.#storage = storage;
    this.#owner = owner;
  }

  get device(): Device {
    return this.#storage.home.device;
  }

  /** `${x}` says what it is; `x + y` would be a text. W7059. */
  [Symbol.toPrimitive](hint: "number" | "string" | "default"): string {
    if (hint !== "string") fail("W7059", { dtype: this.dtype, shape: this.shape });
    return `DeviceTensor<${this.dtype}> [${this.shape.join(", ")}]`;
  }

  get home(): Home {
    return this.#storage.home;
  }

  address(): bigint {
    return this[firstAddress](noSpans);
  }

  /** Where the first element lies. W7006, W7007. */
  [firstAddress](spans: Spans): bigint {
    this.#check(spans);
    return this.#storage.address + BigInt(this.#offset);
  }

  /** Before a use in that stream; undefined is the device's own. W7006, W7007. */
  order(stream: RuntimeStream | undefined, spans: Spans = noSpans): void {
    this.#check(spans);
    this.#storage.order(stream);
  }

  /** Its memory, for a graph. W7006, W7007. */
  memory(spans: Spans = noSpans): Storage {
    this.#check(spans);
    return this.#storage;
  }

  /** Bytes of its memory from its first element on; undefined where somebody else has allocated it. W7006, W7007. */
  room(spans: Spans = noSpans): number | undefined {
    this.#check(spans);
    const { bytes } = this.#storage;
    return bytes === 0 ? undefined : bytes - this.#offset;
  }

  read(): Promise<HostArrayOf<D>> {
    refuseCaptured(this.home, "Reading a tensor");
    return reading(this.#download());
  }

  async #download(): Promise<HostArrayOf<D>> {
    return decodeElements(this.dtype, await this.readBytes());
  }

  /** The elements as they lie in memory, in row-major order: new bytes. */
  async readBytes(): Promise<Uint8Array> {
    const address = this.#use("Reading a tensor");
    const { backend } = this.home;
    const size = elementBytes(this.dtype);
    const span = spanElements(this.shape, this.strides) * size;
    try {
      const isDense = isRowMajor(this.shape, this.strides);
      const bytes = await settle(this.home, backend.download(backend.defaultStream, address, span, isDense ? "all" : "some"));
      return isDense ? bytes : gather(bytes, size, this.shape, this.strides);
    } catch (error) {
      // What an engine throws that has no array of that length.
      if (error instanceof RangeError) fail("W7055", { shape: this.shape, bytes: span });
      throw error;
    }
  }

  write(data: ArrayLike<Element<D>>): void {
    const expected = countElements(this.shape);
    if (typeof data?.length !== "number") fail("W7027", { given: data === undefined ? "missing" : display(data) });
    if (data.length !== expected)
      fail("W7004", { given: data.length, expected, shape: this.shape, nested: Array.isArray((data as ArrayLike<unknown>)[0]) });
    const bytes = encodeElements(this.dtype, data);
    const address = this.#use("Writing a tensor");
    const { backend } = this.home;
    if (isRowMajor(this.shape, this.strides)) {
      backend.upload(backend.defaultStream, address, bytes);
      return;
    }
    const size = elementBytes(this.dtype);
    const { order, run, starts } = memoryOrder(this.shape, this.strides);
    const dense = rowMajorStrides(this.shape);
    const pick = (from: Shape): number[] => order.map((d) => from[d] ?? 1);
    const ordered = gather(bytes, size, pick(this.shape), pick(dense));
    starts.forEach((start, i) => {
      backend.upload(
        backend.defaultStream,
        address + BigInt(start * size),
        ordered.subarray(i * run * size, (i + 1) * run * size),
      );
    });
  }

  fill(value: Element<D>): void {
    const pattern = encodeElements(this.dtype, [value]);
    const address = this.#use("Filling a tensor");
    const { backend } = this.home;
    const { run, starts } = memoryOrder(this.shape, this.strides);
    for (const start of starts) backend.fill(backend.defaultStream, address + BigInt(start * pattern.length), pattern, run);
  }

  transpose(...permutation: number[]): DeviceTensor<D, R> {
    const { rank } = this;
    const order = permutation.length === 0 ? this.shape.map((_, i) => rank - 1 - i) : permutation;
    const valid =
      order.length === rank && new Set(order).size === rank && order.every((d) => Number.isInteger(d) && d >= 0 && d < rank);
    if (!valid) fail("W7008", { permutation, rank });
    const pick = (from: Shape): number[] => order.map((d) => from[d] ?? 1);
    return this.#view<R>(pick(this.shape), pick(this.strides), 0);
  }

  reshape<const S extends Shape>(...shape: S): DeviceTensor<D, S["length"]> {
    checkShape(shape);
    const fromCount = countElements(this.shape);
    const toCount = countElements(shape);
    if (fromCount !== toCount) fail("W7009", { from: this.shape, to: shape, fromCount, toCount });
    const strides = reshapedStrides(this.shape, this.strides, shape);
    if (!strides) fail("W7010", { shape: this.shape, strides: this.strides, to: shape });
    return this.#view<S["length"]>([...shape], strides, 0);
  }

  slice(...ranges: (readonly [start: number, stop: number] | undefined)[]): DeviceTensor<D, R> {
    const { shape } = this;
    if (ranges.length > shape.length) fail("W7011", { range: display(ranges.at(-1)), dimension: ranges.length - 1, shape });
    let first = 0;
    const extents = shape.map((extent, d) => {
      const range = ranges[d];
      if (range === undefined) return extent;
      // What JavaScript lets through is no list of two: a third number would be a step, which there is not.
      const isPair = Array.isArray(range) && range.length === 2 && range.every(Number.isInteger);
      const [start, stop] = isPair ? range : [-1, -1];
      if (!(start >= 0 && start < stop && stop <= extent)) fail("W7011", { range: display(range), dimension: d, shape });
      first += start * (this.strides[d] ?? 0);
      return stop - start;
    });
    return this.#view<R>(extents, this.strides, first);
  }

  dispose(): void {
    this.#disposed = true;
    if (this.#owner) this.#storage.free();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #view<Q extends number>(shape: Shape, strides: Shape, firstElement: number): MemoryTensor<D, Q> {
    this.#check(noSpans);
    const offset = this.#offset + firstElement * elementBytes(this.dtype);
    return new MemoryTensor<D, Q>(this.#storage, { dtype: this.dtype, shape, strides, offset }, false);
  }

  #use(what: string): bigint {
    const address = this.address();
    refuseCaptured(this.home, what);
    this.#storage.order(undefined);
    return address;
  }

  #check(spans: Spans): void {
    checkOpen(this.home, spans);
    if (this.#disposed || this.#storage.freed) fail("W7006", { dtype: this.dtype, shape: this.shape, owner: this.#owner }, spans);
  }
}
exactMethods(MemoryTensor);

/** A tensor of the author's as memory, of that device where one is named. W7012, W7023. */
export function memoryOf(tensor: DeviceTensor, home: Home | undefined, spans: Spans): MemoryTensor {
  if (!(tensor instanceof MemoryTensor)) return fail("W7023", { what: "tensor" }, spans);
  if (home && tensor.home !== home) fail("W7012", { first: home.backend.name, second: tensor.device.name }, spans);
  return tensor;
}

/** New memory with undefined contents. W7002, W7003, W8005. */
export function allocateTensor<D extends DType, const S extends Shape>(
  home: Home,
  dtype: D,
  shape: S,
): MemoryTensor<D, S["length"]> {
  checkDType(dtype);
  checkShape(shape);
  const storage = Storage.allocate(home, countElements(shape) * elementBytes(dtype));
  return new MemoryTensor(storage, { dtype, shape: [...shape], strides: rowMajorStrides(shape), offset: 0 }, true);
}

/** A tensor in memory that somebody else frees, row-major where no strides are given. W7002, W7003. */
export function tensorIn<D extends DType, const S extends Shape>(
  storage: Storage,
  dtype: D,
  shape: S,
  offset: number,
  strides?: Shape,
): MemoryTensor<D, S["length"]> {
  checkDType(dtype);
  checkShape(shape);
  return new MemoryTensor(
    storage,
    { dtype, shape: [...shape], strides: [...(strides ?? rowMajorStrides(shape))], offset },
    false,
  );
}
