import { blockIdx, cdiv, f32, gridDependency, type Kernel, kernel, type Tensor, threadIdx } from "warpsmith";
import type { Kept } from "../common/made.ts";
import { rounded } from "../common/numbers.ts";
import type { FloatType } from "../common/tensors.ts";
import { fail } from "../errors.ts";

/** What becomes of an element: one number of each input, in f32. */
export type MapFunction = (inputs: Readonly<Record<string, number>>) => number;

/** What an input has one number for. */
export type InputKind = "element" | "row" | "column";

/** How the threads of a launch share elements. */
export interface MapPlan {
  readonly threads: number;
  /** Vectors that a thread has. */
  readonly loads: number;
  /** How they are loaded, and how much of what lies behind comes into the L2 cache with them. */
  readonly evict?: "noAllocate" | "first";
  readonly l2?: 128 | 256;
  readonly stores?: "first";
}

export interface MapShape {
  readonly plan: MapPlan;
  readonly kinds: Readonly<Record<string, InputKind>>;
  /** Neighbours that a thread loads at a time. */
  readonly vector: number;
  /** Elements of a row, a multiple of the vector; undefined where all elements are one row, which may end within a vector. */
  readonly columns: number | undefined;
  /** Without one the only input is copied. */
  readonly fn: MapFunction | undefined;
}

type Inputs = Readonly<Record<string, Tensor>>;

/** Where a vector lies. */
interface Place {
  readonly row: number;
  readonly col: number;
  /** Whether it is there, and all of it. */
  readonly whole: boolean;
}

/** Flat: out and inputs are [n]. Else out is [M, N], and an input [M, N], [N] or [M]. */
export function makeMap(shape: MapShape, overlaps: boolean, kept: Kept): Kernel<[out: Tensor, inputs: Inputs]> {
  const { plan, kinds, vector, columns } = shape;
  const perBlock = plan.threads * plan.loads;
  const vectorsOf = (n: number): number => {
    "use kernel"; // so that a build can follow what it computes
    return columns === undefined ? Math.ceil(n / vector) : n * (columns / vector);
  };
  const dynamic: Record<string, readonly number[]> = { out: [0] };
  for (const [name, kind] of Object.entries(kinds)) if (kind !== "column") dynamic[`inputs.${name}`] = [0];
  return kernel(
    { ...kept, block: plan.threads, grid: (out) => cdiv(vectorsOf(out.shape[0] ?? 0), perBlock), dynamic },
    function map(out: Tensor, inputs: Inputs) {
      if (overlaps) gridDependency.wait();
      const first = blockIdx.x * perBlock + threadIdx.x;
      const places = Array.from({ length: plan.loads }, (_, i) => placeOf(out, shape, first + i * plan.threads));
      const loaded = places.map((place) => loadAll(inputs, place, shape));
      for (const [i, place] of places.entries()) storeAt(out, place, loaded[i] ?? {}, shape);
      if (columns === undefined && vector > 1) finish(out, inputs, shape);
    },
  );
}

function placeOf(out: Tensor, { columns, vector }: MapShape, number: number): Place {
  "use kernel";
  const length = out.shape[0] ?? 0;
  if (columns === undefined) return { row: 0, col: number * vector, whole: number * vector <= length - vector };
  const perRow = columns / vector;
  const row = Math.trunc(number / perRow);
  return { row, col: (number - row * perRow) * vector, whole: row < length };
}

/** The element of an input, or of the result. */
function elementOf(x: Tensor, kind: InputKind, { columns }: MapShape, row: number, col: number) {
  "use kernel";
  if (kind === "row") return (x as Tensor<"f32", 1>).at(row);
  if (kind === "column" || columns === undefined) return (x as Tensor<"f32", 1>).at(col);
  return (x as Tensor<"f32", 2>).at(row, col);
}

/** Of each input as many numbers as a vector has, or one for all. */
function loadAll(inputs: Inputs, { row, col, whole }: Place, shape: MapShape): Readonly<Record<string, readonly number[]>> {
  "use kernel";
  const { kinds, vector, plan } = shape;
  const hints = { ...(plan.evict ? { evict: plan.evict } : {}), ...(plan.l2 ? { l2: plan.l2 } : {}) };
  const named = Object.entries(inputs).map(([name, x]) => {
    const kind = kinds[name] ?? "element";
    const place = elementOf(x, kind, shape, row, col);
    const options = kind === "element" ? { pred: whole, ...hints } : { pred: whole };
    if (kind === "row" || vector === 1) return [name, [place.load(options)]] as const;
    return [name, place.load({ ...options, vector: vector as 4 })] as const;
  });
  return Object.fromEntries(named);
}

/** W7615. */
const refuseResult = (name: string, given: string): never => fail("W7615", { name, what: "function of map()", given });

/** What becomes of one element, in the type of the result. */
function resultOf(out: Tensor, loaded: Readonly<Record<string, readonly number[]>>, { fn }: MapShape, j: number): number {
  "use kernel";
  if (!fn) return Object.values(loaded)[0]?.[j] ?? 0;
  const numbers = Object.entries(loaded).map(([name, values]) => [name, f32(values[j] ?? values[0] ?? 0)] as const);
  const result = fn(Object.fromEntries(numbers));
  return typeof result === "number" ? rounded(out.dtype as FloatType, result) : refuseResult(fn.name, typeof result);
}

function storeAt(out: Tensor, { row, col, whole }: Place, loaded: Readonly<Record<string, readonly number[]>>, shape: MapShape) {
  "use kernel";
  const { vector, plan } = shape;
  const place = elementOf(out, "element", shape, row, col);
  const options = plan.stores ? { pred: whole, evict: plan.stores } : { pred: whole };
  const results = Array.from({ length: vector }, (_, j) => resultOf(out, loaded, shape, j));
  if (vector === 1) place.store(results[0] ?? 0, options);
  else place.store(results, options);
}

/** What is left behind the last whole vector: a thread of the first block for each element. */
function finish(out: Tensor, inputs: Inputs, shape: MapShape) {
  "use kernel";
  const { vector } = shape;
  const length = out.shape[0] ?? 0;
  const col = length - (length % vector) + threadIdx.x;
  const one = { ...shape, vector: 1 };
  const place = { row: 0, col, whole: blockIdx.x === 0 && col < length };
  storeAt(out, place, loadAll(inputs, place, one), one);
}
