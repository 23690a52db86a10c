/** What ops cost, op by op: the one table that knows which of them move bytes, calculate or wait. */
import { elementBytes as bytesOfElement } from "../../../base/element-types.ts";
import { type AnyOp, bitsOf, isAcc, isFloat, isScalar, type Value } from "../../../ir/index.ts";

/** Threads that run an op together, as one instruction of theirs; a count of such an op is by that many. */
const warp = 32;
const warpgroup = 128;

/** Bytes between global memory and a thread, or a box that TMA moves. */
export interface Move {
  readonly way: "read" | "written";
  readonly by: "threads" | "tma";
  /** Whose memory: a pointer or a tensor map. */
  readonly of: Value;
  /** For each thread that does it; of a box with a tensor map what the map says. */
  readonly bytes: number | "box" | Value;
}

/** What one execution by all who take part in it counts. */
export interface Cost {
  /** Threads that run it as one. */
  readonly together: number;
  readonly moves?: readonly Move[];
  /** Operations of floating-point arithmetic, or of the tensor cores, by the type of what is calculated with. */
  readonly flops?: { readonly unit: "tensor" | "plain"; readonly type: string; readonly count: number };
  /** Other things that are counted, by name. */
  readonly events?: Readonly<Record<string, number>>;
  /** Only where it is true. */
  readonly pred?: Value | undefined;
  /** It is not known what it does. */
  readonly opaque?: true;
}

const elementBytes = (value: Value | undefined): number =>
  value && isScalar(value.type) ? Math.max(8, bitsOf(value.type)) / 8 : 0;
const bytesOf = (values: readonly Value[]): number => values.length * elementBytes(values[0]);
const isGlobal = (ptr: Value): boolean => ptr.type === "ptr.global";

const moved = (way: Move["way"], of: Value, bytes: Move["bytes"], by: Move["by"] = "threads"): readonly Move[] =>
  isGlobal(of) || of.type === "tensormap" ? [{ way, by, of, bytes }] : [];
const both = (of: Value, bytes: Move["bytes"], by?: Move["by"]): readonly Move[] => [
  ...moved("read", of, bytes, by),
  ...moved("written", of, bytes, by),
];

/** K of one instruction: 32 bytes of A, as B has them. */
const wgmmaDepth = (type: string): number => (type === "tf32" ? 8 : type === "f16" || type === "bf16" ? 16 : 32);

type Product = Extract<AnyOp, { name: `wgmma.mma_async${string}` }>;

function wgmma({ operands, attrs, name }: Product): Cost {
  const { type } = operands.acc;
  if (!isAcc(type)) return { together: warpgroup };
  const { rows, cols } = type;
  const sparse = name.startsWith("wgmma.mma_async.sp");
  const depth = wgmmaDepth(attrs.aType) * (sparse ? 2 : 1);
  return {
    together: warpgroup,
    flops: { unit: "tensor", type: attrs.aType, count: 2 * rows * cols * attrs.k },
    events: { wgmma: (rows / 64) * Math.ceil(attrs.k / depth) },
  };
}

function arithmetic(op: AnyOp, each: number): Cost | undefined {
  const type = op.results[0]?.type;
  if (type === undefined || !isScalar(type) || !isFloat(type)) return undefined;
  return { together: 1, flops: { unit: "plain", type, count: each } };
}

const extents = (shape: string): readonly number[] => (shape.match(/\d+/g) ?? []).map(Number);

/** Elements of a matrix that a warp loads or stores, by its shape m16n16k16. */
function wmmaElements(fragment: "a" | "b" | "c", shape: string): number {
  const [m = 0, n = 0, k = 0] = extents(shape);
  return fragment === "a" ? m * k : fragment === "b" ? k * n : m * n;
}

/** What an op costs; undefined where nothing of it is counted. */
export function costOf(op: AnyOp): Cost | undefined {
  switch (op.name) {
    case "ld.global":
      return { together: 1, moves: moved("read", op.operands.ptr, bytesOf(op.results)), pred: op.operands.pred };
    case "st.global":
      return { together: 1, moves: moved("written", op.operands.ptr, bytesOf(op.operands.values)), pred: op.operands.pred };
    case "ld.acquire":
      return { together: 1, moves: moved("read", op.operands.ptr, bytesOf(op.results)) };
    case "st.release":
      return { together: 1, moves: moved("written", op.operands.ptr, bytesOf(op.operands.values)) };
    case "atom":
      return { together: 1, moves: both(op.operands.ptr, elementBytes(op.operands.value)), pred: op.operands.pred };
    case "atom.cas":
      return { together: 1, moves: both(op.operands.ptr, elementBytes(op.operands.value)) };
    case "red":
      return { together: 1, moves: both(op.operands.ptr, bytesOf(op.operands.values)), pred: op.operands.pred };
    case "cp.async":
      return {
        together: 1,
        moves: moved("read", op.operands.src, op.operands.from ?? op.attrs.bytes),
        pred: op.operands.pred,
      };
    case "wmma.load": {
      const bytes = wmmaElements(op.attrs.fragment, op.attrs.shape) * bytesOfElement[op.attrs.type];
      return { together: warp, moves: moved("read", op.operands.ptr, bytes) };
    }
    case "wmma.store": {
      const bytes = wmmaElements("c", op.attrs.shape) * bytesOfElement[op.attrs.type];
      return { together: warp, moves: moved("written", op.operands.ptr, bytes) };
    }
    case "tma.load":
      return { together: 1, moves: moved("read", op.operands.map, "box", "tma"), pred: op.operands.pred };
    case "tma.store":
      return { together: 1, moves: moved("written", op.operands.map, "box", "tma"), pred: op.operands.pred };
    case "tma.reduce":
      return { together: 1, moves: both(op.operands.map, "box", "tma"), pred: op.operands.pred };
    case "bulk.load":
      return { together: 1, moves: moved("read", op.operands.src, op.operands.bytes, "tma"), pred: op.operands.pred };
    case "bulk.store":
      return { together: 1, moves: moved("written", op.operands.dst, op.operands.bytes, "tma"), pred: op.operands.pred };
    case "bulk.reduce":
      return { together: 1, moves: both(op.operands.dst, op.operands.bytes, "tma"), pred: op.operands.pred };
    case "wgmma.mma_async":
    case "wgmma.mma_async.rs":
    case "wgmma.mma_async.sp":
    case "wgmma.mma_async.sp.rs":
      return wgmma(op);
    case "mma.sync": {
      const flops = { unit: "tensor", type: op.attrs.aType, count: 2 * 16 * 8 * op.attrs.k } as const;
      return { together: warp, flops, events: { mma: 1 } };
    }
    case "wmma.mma": {
      const count = extents(op.attrs.shape).reduce((product, n) => product * n, 2);
      return { together: warp, flops: { unit: "tensor", type: op.attrs.input, count }, events: { mma: 1 } };
    }
    case "add":
    case "sub":
    case "mul":
    case "div":
    case "rem":
    case "sqrt":
    case "approx":
    case "div.approx":
      return arithmetic(op, 1);
    case "fma":
      return arithmetic(op, 2);
    case "bar.sync":
    case "bar.arrive":
      return { together: 1, events: { "bar.sync": 1 } };
    case "barrier.cluster.arrive":
      return { together: 1, events: { "barrier.cluster": 1 } };
    case "grid.sync":
      return { together: 1, events: { "grid.sync": 1 } };
    case "mbarrier.wait":
      return { together: 1, events: { "mbarrier.wait": 1 } };
    case "mbarrier.arrive":
    case "mbarrier.arrive.expect_tx":
    case "mbarrier.arrive.remote":
      return { together: 1, events: { "mbarrier.arrive": 1 }, pred: op.operands.pred };
    case "ptx.inline":
    case "ptx.sync":
    case "ptx.pure":
      return { together: 1, opaque: true };
    default:
      return undefined;
  }
}

/** The values that a cost depends on. */
export const costValues = ({ pred, moves = [] }: Cost): readonly Value[] => [
  ...(pred ? [pred] : []),
  ...moves.flatMap(({ bytes }) => (typeof bytes === "object" ? [bytes] : [])),
];
