import {
  type Accumulator,
  type DType,
  type SharedView,
  sharedMemory,
  staticRange,
  type Tensor,
  type TMA,
  warpgroup,
} from "warpsmith";

/** What becomes of each element before it is rounded: the sum in f32, one number of each input, its row and its column. */
export type Epilogue = (value: number, inputs: Readonly<Record<string, number>>, row: number, col: number) => number;

/** How an input of an epilogue is read. */
export interface InputKind {
  /** [M, N], one number for each element; [N], for each column; [M], for each row. */
  readonly shape: "tile" | "column" | "row";
  readonly dtype: DType;
  /** A tile may come through the ring that A and B come through, loaded ahead of its use: one of 16-bit elements. */
  readonly through: "ring" | "global";
}
export type InputKinds = Readonly<Record<string, InputKind>>;

/** Tensors by name; of a tile through the ring, its tensor map. */
export type Inputs = Readonly<Record<string, Tensor | TMA>>;

type Columns = SharedView<"f32", 2>;

/** An epilogue in its kernel. */
export interface Fused {
  readonly fn: Epilogue;
  readonly kinds: InputKinds;
  readonly given: Inputs;
  /** [consumers, columns of a tile]: what the columns of a tile read, for each consumer. */
  readonly columns: Readonly<Record<string, Columns>>;
  /** Rows and columns of D where tiles hang over its edges; undefined where none does. */
  readonly edge: readonly [number, number] | undefined;
}

/** Shared memory for the column inputs of the consumers' tiles. */
export function makeColumns(kinds: InputKinds, consumers: number, tileN: number): Record<string, Columns> {
  "use kernel";
  const named = Object.entries(kinds).filter(([, kind]) => kind.shape === "column");
  return Object.fromEntries(named.map(([name, { dtype }]) => [name, sharedMemory.alloc(dtype as "f32", [consumers, tileN])]));
}

/** Brings the columns of the coming tile near, long before they are used. Its reader synchronises. */
export function fetchColumns({ columns, given, edge }: Fused, wg: number, col: number) {
  "use kernel";
  const thread = warpgroup.thread;
  for (const [name, view] of Object.entries(columns)) {
    const width = view.shape[1];
    const tensor = given[name] as Tensor<"f32", 1>;
    for (const c of staticRange(0, width, 128)) {
      if (width - c < 128 && thread >= width - c) continue;
      const at = col + c + thread;
      view.at(wg, c + thread).store(tensor.at(at).load(edge ? { pred: at < edge[1] } : {}));
    }
  }
}

/** The epilogue of a panel of D whose first element is (row, col); `ring`: what came through the ring for it. */
export function finish(
  fused: Fused,
  D: Accumulator,
  ring: Accumulator | undefined,
  wg: number,
  row: number,
  col: number,
  inTile: number,
) {
  "use kernel";
  const { fn, kinds, given, columns, edge } = fused;
  const element = (value: number, other: number, r: number, c: number) => {
    const [m, n] = [row + r, col + c];
    const read = (name: string): number => {
      if (kinds[name]?.through === "ring") return other;
      const near = columns[name];
      if (near) return near.at(wg, inTile + c).load();
      if (kinds[name]?.shape === "row") return (given[name] as Tensor<"f32", 1>).at(m).load(edge ? { pred: m < edge[0] } : {});
      return (given[name] as Tensor<"f32", 2>).at(m, n).load(edge ? { pred: m < edge[0] && n < edge[1] } : {});
    };
    return fn(value, Object.fromEntries(Object.keys(kinds).map((name) => [name, read(name)])), m, n);
  };
  return ring ? D.zip(ring, element) : D.map((value, r, c) => element(value, 0, r, c));
}
