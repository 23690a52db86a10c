import { type Accumulator, type DType, f32, fma, type SharedView, sharedMemory, type Tensor, warpgroup } from "warpsmith";
import { fail } from "../../errors.ts";
import { identity, type Reduction, type Reductions } from "./reduce.ts";
import { registersOf } from "./registers.ts";

/** What becomes of each element before it is rounded: a function of its sum, or of both of a pair, one number of each input (all in f32), its row and its column. */
export type Epilogue = (...given: never[]) => unknown;
type Called = (...given: readonly unknown[]) => unknown;

/** How an input of an epilogue is read. */
export interface InputKind {
  /** [M, N], one number for each element; [N], for each column; [M], for each row. */
  readonly shape: "tile" | "column" | "row";
  readonly dtype: DType;
  /** A tile may come through the pipeline that A and B come through, loaded ahead of its use: one of 16-bit elements. */
  readonly through: "pipe" | "global";
}
export type InputKinds = Readonly<Record<string, InputKind>>;

/** Tensors by name, but for what comes through the pipeline. */
export type Inputs = Readonly<Record<string, Tensor>>;

type Columns = SharedView<"f32", 2>;

/** Numbers that a launch brings, alpha and beta: what becomes of the sum before an epilogue sees it. */
export interface Scaling {
  /** The name of the input, the result itself, that beta is multiplied with; undefined where nothing is added. */
  readonly previous?: string;
}

/** An epilogue in its kernel. */
export interface Fused {
  /** Undefined where the sum is only scaled. */
  readonly fn: Epilogue | undefined;
  /** What the sum is multiplied with, and the input of that name before it is added: numbers of the launch. */
  readonly scale: (Scaling & { readonly alpha: number; readonly beta: number }) | undefined;
  readonly kinds: InputKinds;
  readonly given: Inputs;
  /** [consumers, columns of a tile]: what the columns of a tile read, for each consumer. */
  readonly columns: Readonly<Record<string, Columns>>;
  /** Rows and columns of D where tiles hang over its edges; undefined where none does. */
  readonly edge: readonly [number, number] | undefined;
  /** What it gives for rows, by name. */
  readonly reductions: Reductions;
  /** What it gives for elements beside that of D, by name. */
  readonly further: readonly string[];
}

/** The same for one product of a batch: what it reads of its rows and elements is its own. */
export function ofBatch(fused: Fused, batch: number): Fused {
  "use kernel";
  const given = Object.entries(fused.given).map(([name, tensor]): [string, Tensor] => {
    const isOne = fused.kinds[name]?.shape === "column";
    return [name, isOne ? tensor : ((tensor as Tensor<"f32", 3>).at(batch) as Tensor)];
  });
  return { ...fused, given: Object.fromEntries(given) };
}

/** Shared memory for the column inputs of the consumers' tiles. */
export function makeColumns(kinds: InputKinds, consumers: number, tileN: number): Record<string, Columns> {
  "use kernel";
  const named = Object.entries(kinds).filter(([, kind]) => kind.shape === "column");
  return Object.fromEntries(named.map(([name]) => [name, sharedMemory.alloc("f32", [consumers, tileN])]));
}

/** What a thread brings of the columns of the coming tile, by input: loaded long before it is used, and until then not touched. */
export type Fetched = readonly (readonly [view: Columns, values: readonly number[]])[];

export function fetchColumns({ columns, given, edge }: Fused, col: number): Fetched {
  "use kernel";
  const thread = warpgroup.thread;
  return Object.entries(columns).map(([name, view]) => {
    const tensor = given[name] as Tensor<"f32", 1>;
    const values = staticSteps(view.shape[1]).map((c) => {
      const [place, inside] = [c + thread, view.shape[1] - c >= 128];
      const pred = edge ? col + place < edge[1] && (inside || place < view.shape[1]) : inside || place < view.shape[1];
      return tensor.at(col + place).load({ pred });
    });
    return [view, values];
  });
}

/** Lays it where all threads of the warpgroup read it. The caller synchronises before and after. */
export function layColumns(fetched: Fetched, wg: number) {
  "use kernel";
  const thread = warpgroup.thread;
  for (const [view, values] of fetched) {
    for (const [i, c] of staticSteps(view.shape[1]).entries()) {
      view.at(wg, c + thread).store(f32(values[i] ?? 0), { pred: view.shape[1] - c >= 128 || c + thread < view.shape[1] });
    }
  }
}

const staticSteps = (width: number): number[] => {
  "use kernel";
  return Array.from({ length: Math.ceil(width / 128) }, (_, i) => i * 128);
};

/** W7615. */
const refuseResult = (name: string, given: string): never => fail("W7615", { name, what: "epilogue", given });

/** What an epilogue gives of an element: its value alone, or with what else it was asked for, by name. W7615, W7695. */
function givenBy(fn: Epilogue, result: unknown, names: readonly string[]): readonly number[] {
  "use kernel";
  if (names.length === 0) return [typeof result === "number" ? result : refuseResult(fn.name, typeof result)];
  const numbers = typeof result === "object" && result !== null ? (result as Readonly<Record<string, unknown>>) : {};
  const more = Object.keys(numbers).find((name) => name !== "value" && !names.includes(name));
  if (more !== undefined) fail("W7707", { more, names });
  return ["value", ...names].map((name) => {
    const number = numbers[name];
    return typeof number === "number" ? number : fail("W7695", { given: typeof result, missing: name, names });
  });
}

/** What becomes of a panel: elements of D, and by name what goes into its rows, and other elements. */
export interface Finished {
  readonly elements: Accumulator;
  readonly more: Readonly<Record<string, Accumulator>>;
}

/** Where a panel lies: its first element in D, its first column in the tile, and whose it is. */
export interface PanelPlace {
  readonly wg: number;
  readonly row: number;
  readonly col: number;
  readonly inTile: number;
}

/** The number of an input for an element: its row and column in D, and its column in the panel; `other`: what came through the pipeline for it. */
function numberOf(
  { kinds, given, columns, edge }: Fused,
  { wg, inTile }: PanelPlace,
  name: string,
  other: number,
  [m, n, c]: readonly [m: number, n: number, c: number],
): number {
  "use kernel";
  if (kinds[name]?.through === "pipe") return other;
  const near = kinds[name]?.shape === "column" && columns[name];
  if (near) return near.at(wg, inTile + c).load();
  if (kinds[name]?.shape === "row") return (given[name] as Tensor<"f32", 1>).at(m).load(edge ? { pred: m < edge[0] } : {});
  return (given[name] as Tensor<"f32", 2>).at(m, n).load(edge ? { pred: m < edge[0] && n < edge[1] } : {});
}

/** What becomes of element (r, c) of a panel, and what else it gives, from one sum, or two. */
function numbersOf(
  fused: Fused,
  at: PanelPlace,
  sums: readonly number[],
  other: number,
  r: number,
  c: number,
): readonly number[] {
  "use kernel";
  const { fn, scale, kinds, edge, reductions, further } = fused;
  const [m, n] = [at.row + r, at.col + c];
  const read = (name: string): number => f32(numberOf(fused, at, name, other, [m, n, c]));
  let [sum = 0] = sums;
  if (scale) sum = sum * scale.alpha;
  if (scale?.previous !== undefined) sum = fma(scale.beta, read(scale.previous), sum);
  if (!fn) return [sum];
  const names = Object.keys(kinds).filter((name) => name !== scale?.previous);
  const inputs = Object.fromEntries(names.map((name) => [name, read(name)]));
  const result = (fn as Called)(sum, ...sums.slice(1), inputs, m, n);
  const reduced = Object.keys(reductions);
  const [element = 0, ...rest] = givenBy(fn, result, [...reduced, ...further]);
  const forRow = reduced.map((name, i) => {
    const [number, none] = [f32(rest[i] ?? 0), f32(identity(reductions[name] as Reduction))];
    return edge ? (n < edge[1] ? number : none) : number;
  });
  return [element, ...forRow, ...further.map((_, i) => f32(rest[reduced.length + i] ?? 0))];
}

/** Each element of a panel from its sums, and from what came through the pipeline. */
function mapSums(
  [D, up]: readonly [Accumulator, Accumulator?],
  pipe: Accumulator | undefined,
  fn: (sums: readonly number[], other: number, r: number, c: number) => number,
): Accumulator {
  "use kernel";
  if (!up) return pipe ? D.zip(pipe, (sum, other, r, c) => fn([sum], other, r, c)) : D.map((sum, r, c) => fn([sum], 0, r, c));
  if (!pipe) return D.zip(up, (sum, second, r, c) => fn([sum, second], 0, r, c));
  const registers = registersOf(up);
  let register = 0;
  return D.zip(pipe, (sum, other, r, c) => fn([sum, registers[register++] ?? 0], other, r, c));
}

/** The epilogue of a panel of D, from one sum of each element, or two; `pipe`: what came through the pipeline for it. */
export function applyEpilogue(
  fused: Fused,
  sums: readonly Accumulator[],
  pipe: Accumulator | undefined,
  at: PanelPlace,
): Finished {
  "use kernel";
  const panel = sums as readonly [Accumulator, Accumulator?];
  const names = [...Object.keys(fused.reductions), ...fused.further];
  const held = names.map((): number[] => []);
  const elements = mapSums(panel, pipe, (values, other, r, c) => {
    const [element, ...rest] = numbersOf(fused, at, values, other, r, c);
    for (const [i, number] of rest.entries()) held[i]?.push(number);
    return element as number;
  });
  const more = names.map((name, i): [string, Accumulator] => {
    let register = 0;
    return [name, panel[0].map(() => held[i]?.[register++] ?? 0)];
  });
  return { elements, more: Object.fromEntries(more) };
}
