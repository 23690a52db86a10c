import { type AnyOp, isTile, isView, type Op, type Type, type Value, type ViewType } from "../../src/ir/index.ts";
import { hardwareSwizzle } from "../../src/layout/modes/modes.ts";
import type { Held } from "./ir-interpreter.ts";

/**
 * What views are, written plainly: a view says where each of its elements lies. A part of a view lies where those elements of the whole
 * lie; nothing is taken apart into a base and an offset, and nothing is known before it runs.
 */
export interface View {
  /** The address of the buffer, of the block whose it is, or of the tensor. */
  readonly base: bigint;
  /** Bytes from there to an element, before the swizzle. */
  readonly element: (index: readonly number[]) => number;
  /** Of a tensor: how each dimension meets the edge of the tensor. */
  readonly edges: readonly Edge[];
}
export interface Edge {
  readonly begin: number;
  readonly extent: number;
  readonly stride: number;
  readonly limit: number;
}

/** An element that is read or written; without an address where nobody knows which view it is of. */
export interface Touched {
  readonly kind: "load" | "store";
  readonly address?: bigint;
  readonly value?: Held;
}

const bytesOf = (type: ViewType): number => (type.dtype === "f32" ? 4 : 2);

/** PTX ISA 5.5.7: bits 4 and up take those from 7 on. */
function swizzledBy(type: ViewType, offset: number): number {
  const swizzle = type.space === "global" ? "none" : hardwareSwizzle(type.swizzle);
  const chunks = { none: 1, "32B": 2, "64B": 4, "128B": 8 }[swizzle];
  const row = Math.floor(offset / 128) % chunks;
  const chunk = Math.floor(offset / 16) % chunks;
  return offset - chunk * 16 + (chunk ^ row) * 16;
}

/** Bytes to index `i` of a dimension of so many modes: digits of a number, the innermost last. */
function inDimension(modes: readonly { readonly extent: number; readonly stride: number }[], i: number): number {
  const [outer, inner] = modes.length > 1 ? modes : [undefined, modes[0]];
  if (!inner) return 0;
  if (!outer) return i * inner.stride;
  return Math.floor(i / inner.extent) * outer.stride + (i % inner.extent) * inner.stride;
}

function viewOf(type: Type | undefined): ViewType {
  if (!type || !isView(type)) throw new Error("no view");
  return type;
}

const extents = (type: ViewType): number[] =>
  type.space === "global"
    ? type.dims.map((d) => d.extent ?? 1)
    : type.layout.map((modes) => modes.reduce((n, m) => n * m.extent, 1) - (modes[0]?.unused ?? 0));

const rank = (type: ViewType): number => extents(type).length;

/** The place of a number in row-major order of that shape; the outermost index takes what is left. */
function unravelled(shape: readonly number[], n: number): number[] {
  const index: number[] = [];
  let rest = n;
  for (let d = shape.length - 1; d > 0; d--) {
    index.unshift(rest % (shape[d] ?? 1));
    rest = Math.floor(rest / (shape[d] ?? 1));
  }
  return shape.length > 0 ? [rest, ...index] : [];
}
const ravelled = (shape: readonly number[], index: readonly number[]): number =>
  index.reduce((n, i, d) => n * (shape[d] ?? 1) + i, 0);

/** Runs the ops of views and tiles. Views are told apart by numbers. */
export class Meaning {
  /** `undefined`: a view that nobody reads. */
  readonly views: (View | undefined)[] = [];
  readonly touched: Touched[] = [];
  private readonly thread: number;

  constructor(thread: number) {
    this.thread = thread;
  }

  of(held: Held): View | undefined {
    return this.views[Number(held)];
  }

  /** Runs an op; undefined where it is of another kind. */
  perform(op: AnyOp, get: (value: Value) => Held): readonly Held[] | undefined {
    if (op.name === "tile.from") return [0];
    if (op.name === "tile.store") return this.storeTile(op, this.of(get(op.operands.view)));
    if (op.name === "view.load") return this.load(op, this.of(get(op.operands.view)));
    if (op.name === "view.store") return this.store(op, this.of(get(op.operands.view)), op.operands.values.map(get));
    if (op.name === "view.offset") {
      const view = this.of(get(op.operands.view));
      if (!view) throw new Error("nobody asks where a view lies that there is not");
      const offset = view.element(extents(viewOf(op.operands.view.type)).map(() => 0));
      return [op.results[0]?.type === "i64" ? BigInt(offset) : offset];
    }
    if (!op.name.startsWith("view.")) return undefined;
    this.views.push(this.part(op, get));
    return [this.views.length - 1];
  }

  /** The view that an op makes. */
  private part(op: AnyOp, get: (value: Value) => Held): View | undefined {
    const type = viewOf(op.results[0]?.type);
    const numbers = (list: readonly Value[]): number[] => list.map((v) => Number(get(v)));
    if (op.name === "view.undef") return undefined;
    if (op.name === "view.shared" && type.space !== "global")
      return {
        base: BigInt(get(op.operands.ptr)),
        element: (index) => index.reduce((n, i, d) => n + inDimension(type.layout[d] ?? [], i), op.attrs.offset),
        edges: [],
      };
    if (op.name === "view.tensor" && type.space === "global") {
      const [given, strides] = [numbers(op.operands.extents), numbers(op.operands.strides)];
      const edges = type.dims.map((d): Edge => {
        const extent = d.extent ?? given.shift() ?? 0;
        return { begin: 0, extent, stride: d.stride ?? strides.shift() ?? 0, limit: extent };
      });
      return {
        base: BigInt(get(op.operands.ptr)),
        element: (index) => index.reduce((n, i, d) => n + i * (edges[d]?.stride ?? 0) * bytesOf(type), 0),
        edges,
      };
    }
    const { view } = op.operands as { readonly view: Value };
    const from = this.of(get(view));
    if (!from) return undefined;
    switch (op.name) {
      case "view.peer":
        return { ...from, base: peerAddress(from.base, get(op.operands.rank)) };
      case "view.at": {
        const at = numbers(op.operands.indices);
        return { ...from, element: (index) => from.element([...at, ...index]), edges: from.edges.slice(at.length) };
      }
      case "view.subview": {
        const begin = numbers(op.operands.offsets);
        const edges = from.edges.map((e, d) => ({ ...e, begin: e.begin + (begin[d] ?? 0), extent: extents(type)[d] ?? 1 }));
        return { ...from, element: (index) => from.element(index.map((i, d) => i + (begin[d] ?? 0))), edges };
      }
      case "view.transpose": {
        const { permutation } = op.attrs;
        const edges = permutation.flatMap((d) => from.edges[d] ?? []);
        return {
          ...from,
          element: (index) => from.element(permutation.map((_, d) => index[permutation.indexOf(d)] ?? 0)),
          edges,
        };
      }
      case "view.reshape": {
        const before = extents(viewOf(view.type));
        return { ...from, element: (index) => from.element(unravelled(before, ravelled(extents(type), index))) };
      }
      default:
        throw new Error(`no meaning of ${op.name}`);
    }
  }

  private address(type: ViewType, view: View | undefined, index: readonly number[]): { address?: bigint } {
    return view ? { address: view.base + BigInt(swizzledBy(type, view.element(index))) } : {};
  }

  private load(op: Op<"view.load">, view: View | undefined): readonly Held[] {
    this.touched.push({ kind: "load", ...this.address(viewOf(op.operands.view.type), view, []) });
    return [0];
  }

  private store(op: Op<"view.store">, view: View | undefined, values: readonly Held[]): readonly Held[] {
    for (const value of values)
      this.touched.push({ kind: "store", value, ...this.address(viewOf(op.operands.view.type), view, []) });
    return [];
  }

  /**
   * A thread's four elements of 64 x 8: PTX ISA 9.7.15.5.1.1. Matrices are for the whole warp; of these, and of pairs, what an
   * instruction asks of its addresses is all that counts here.
   */
  private storeTile({ operands, attrs }: Op<"tile.store">, view: View | undefined): readonly Held[] {
    const type = viewOf(operands.view.type);
    if (!view || rank(type) !== 2 || !isTile(operands.tile.type)) throw new Error("no tile is stored there");
    const [rows, cols] = attrs.access === "matrices" ? [1, 8] : attrs.access === "pairs" ? [1, 2] : [1, 1];
    if (type.space !== "global") checkRuns(type, view, cols * rows);
    if (attrs.access === "matrices") return [];
    for (let i = 0; i < 4; i++) {
      const row = 16 * Math.floor(this.thread / 32) + Math.floor((this.thread % 32) / 4) + 8 * Math.floor(i / 2);
      const col = 2 * (this.thread % 4) + (i % 2);
      const isInside = view.edges.every((e, d) => {
        const at = d === 0 ? row : col;
        return at < e.extent && e.begin + at >= 0 && e.begin + at < e.limit;
      });
      if (isInside) this.touched.push({ kind: "store", value: i + 1, ...this.address(type, view, [row, col]) });
    }
    return [];
  }
}

/** So many neighbouring columns of every row lie side by side, from a multiple of their bytes on. */
function checkRuns(type: ViewType, view: View, count: number): void {
  const bytes = bytesOf(type);
  for (let row = 0; row < 64; row++)
    for (let col = 0; col < 8; col += count) {
      const first = view.element([row, col]);
      if (first % (count * bytes) !== 0) throw new Error(`${count} elements at once begin at byte ${first}`);
      for (let i = 1; i < count; i++)
        if (view.element([row, col + i]) !== first + i * bytes) throw new Error(`elements at byte ${first} are no neighbours`);
    }
}

/** Where a byte of shared memory is in another block's. */
export const peerAddress = (address: bigint, rank: Held): bigint => address + (BigInt(rank) << 24n);
