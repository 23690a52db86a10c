import { randomShapes } from "./random-shapes.ts";

export type Half = "f16" | "bf16";
/** Whether A and B lie as [M, K] and [K, N] ("n") or transposed ("t"), rows without gaps. */
export type Layout = "nt" | "nn" | "tn" | "tt";
/** What schedules compute besides a product: relu(a @ b), a @ b + 1, a @ b + e, relu(a @ b + e), relu(a) @ b; e is a matrix like the result. */
export const fusions = ["relu", "add-constant", "add-matrix", "add-matrix-relu", "relu-input"] as const;
export type Fusion = (typeof fusions)[number];
/** What a launch computes: a @ b; relu(a @ b + bias); relu(a @ b + bias) + residual; a fusion. Bias is one number per column. */
export type Work = "product" | "relu-bias" | "relu-bias-residual" | Fusion;

export interface Problem {
  readonly dtype: Half;
  /** The type of the result where it is not `dtype`. */
  readonly result?: "f32";
  readonly layout: Layout;
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly work: Work;
  /** So many products, whose operands follow each other in memory. */
  readonly batch?: number;
  /** What it is a case of. */
  readonly group: "square" | "wide" | "odd" | "fused" | "decode" | "transformer" | "random";
}

export const sizeOf = ({ m, n, k }: Pick<Problem, "m" | "n" | "k">): string => (m === n && n === k ? `${m}³` : `${m}×${n}×${k}`);
export const nameOf = (problem: Problem): string =>
  `${problem.dtype} ${problem.layout} ${sizeOf(problem)}${problem.work === "product" ? "" : ` ${problem.work}`}`;
/** Multiply-adds count twice; an epilogue not at all. */
export const teraflops = ({ m, n, k }: Problem, us: number): number => (2 * m * n * k) / us / 1e6;

/** A product as cuBLAS, whose matrices are column by column, has to compute it: Dᵀ = Bᵀ Aᵀ. Its first operand is B, its second A. */
export interface ColumnMajor {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  /** Rows, columns and distance of columns of each operand as it lies in memory, and whether to transpose it. */
  readonly first: Operand;
  readonly second: Operand;
  readonly out: Operand;
}
export interface Operand {
  readonly rows: number;
  readonly columns: number;
  readonly stride: number;
  readonly transpose: boolean;
}

const operand = (rows: number, columns: number, transpose: boolean): Operand => ({ rows, columns, stride: rows, transpose });

export function columnMajor({ m, n, k, layout }: Problem): ColumnMajor {
  const first = layout[1] === "t" ? operand(k, n, true) : operand(n, k, false);
  const second = layout[0] === "t" ? operand(m, k, true) : operand(k, m, false);
  return { m: n, n: m, k, first, second, out: operand(n, m, false) };
}

const dtypes: readonly Half[] = ["f16", "bf16"];
const squares = [512, 1024, 1536, 2048, 3072, 4096, 8192, 16384] as const;
type Size = readonly [m: number, n: number, k: number];
const wide: readonly Size[] = [
  [512, 14336, 4096],
  [2048, 4096, 14336],
  [4096, 11008, 4096],
];
const odd: readonly Size[] = [
  [1000, 776, 1032],
  [8, 4096, 4096],
  [16384, 16384, 512],
  [4000, 4104, 4072],
];

/** Weights [N, K] of layers, and rows that are multiplied with them: a few at a time while tokens are made, many where a model reads or learns. */
const weights: readonly (readonly [n: number, k: number])[] = [
  [4096, 4096],
  [11008, 4096],
  [4096, 11008],
  [14336, 4096],
  [4096, 14336],
  [128256, 4096],
];
const rowsOf = { decode: [1, 8, 16, 32, 64], transformer: [16, 128, 1024, 4096, 8192] } as const;

/** Whether a case is of that kind, whatever group it is counted in. */
const isOfLayers = (group: keyof typeof rowsOf, { dtype, layout, work, m, n, k }: Problem): boolean =>
  [dtype, layout, work].join() === "bf16,nt,product" &&
  (rowsOf[group] as readonly number[]).includes(m) &&
  weights.some((weight) => weight[0] === n && weight[1] === k);

const product = (dtype: Half, layout: Layout, [m, n, k]: Size, group: Problem["group"]): Problem => ({
  dtype,
  layout,
  m,
  n,
  k,
  work: "product",
  group,
});
const cube = (size: number): Size => [size, size, size];

/** Those with a few rows, and those with many that are in no other group. */
function ofLayers(others: readonly Problem[]): readonly Problem[] {
  const all = (["decode", "transformer"] as const).flatMap((group) =>
    rowsOf[group].flatMap((m) => weights.map(([n, k]) => product("bf16", "nt", [m, n, k], group))),
  );
  return all.filter((problem, i) => ![...others, ...all.slice(0, i)].some((other) => nameOf(other) === nameOf(problem)));
}

const usual: readonly Problem[] = [
  ...dtypes.flatMap((dtype) => squares.map((size) => product(dtype, "nt", cube(size), "square"))),
  ...dtypes.flatMap((dtype) => wide.map((size) => product(dtype, "nt", size, "wide"))),
  ...dtypes.flatMap((dtype) => odd.map((size) => product(dtype, "nt", size, "odd"))),
  ...dtypes.map((dtype): Problem => ({ ...product(dtype, "nt", cube(4096), "fused"), work: "relu-bias-residual" })),
  ...dtypes.flatMap((dtype) => squares.map((size) => product(dtype, "nn", cube(size), "square"))),
];

/** Products of random shapes, by their numbers: they are run where they are asked for. */
const randoms: readonly Problem[] = randomShapes().map(({ dtype, layout, m, n, k }) =>
  product(dtype, layout, [m, n, k], "random"),
);

/** Every case, in the order of a full run. */
export const problems: readonly Problem[] = [...usual, ...ofLayers(usual)];

/** What a word on the command line asks of a case; undefined where it is not such a word. */
function wordOf(word: string): { readonly kind: string; readonly fits: (problem: Problem) => boolean } | undefined {
  if (word === "f16" || word === "bf16") return { kind: "dtype", fits: ({ dtype }) => dtype === word };
  if (/^[nt][nt]$/.test(word)) return { kind: "layout", fits: ({ layout }) => layout === word };
  if (word === "decode" || word === "transformer") return { kind: "group", fits: (problem) => isOfLayers(word, problem) };
  if (["square", "wide", "odd", "fused", "random"].includes(word)) return { kind: "group", fits: ({ group }) => group === word };
  const sizes = word.split(/[x×]/).map(Number);
  if (!sizes.every((size) => Number.isInteger(size) && size > 0)) return undefined;
  const [m, n = m, k = n] = sizes;
  return { kind: "size", fits: (problem) => problem.m === m && problem.n === n && problem.k === k };
}

/** A case that the words describe in full ("f16 nt 640x640x640") and that is in no list. */
function described(words: readonly string[]): readonly Problem[] {
  const sizes = words.filter((word) => /^\d+(x\d+x\d+)?$/.test(word)).map((word) => word.split("x").map(Number));
  const all = (known: readonly string[], otherwise: readonly string[]) => {
    const named = words.filter((word) => known.includes(word));
    return named.length > 0 ? named : otherwise;
  };
  return sizes.flatMap(([m = 1, n = m, k = n]) =>
    all(["f16", "bf16"], ["f16"]).flatMap((dtype) =>
      all(["nt", "nn", "tn", "tt"], ["nt"]).map((layout) => product(dtype as Half, layout as Layout, [m, n, k], "odd")),
    ),
  );
}

/**
 * The cases that fit the words: types (f16), layouts (nt), groups (odd), sizes (4096, 512x14336x4096). Words of one kind are alternatives,
 * kinds narrow each other. A size that is in no list is a case of its own. "random": random shapes, those from `first` to `last`.
 */
export function select(
  words: readonly string[],
  shapes: readonly [first: number, last: number] = [0, randoms.length - 1],
): readonly Problem[] {
  const byKind = new Map<string, ((problem: Problem) => boolean)[]>();
  for (const word of words) {
    const meaning = wordOf(word.toLowerCase());
    if (!meaning) throw new Error(`“${word}” is no type, layout, group or size (f16, nt, odd, 4096, 512x14336x4096)`);
    byKind.set(meaning.kind, [...(byKind.get(meaning.kind) ?? []), meaning.fits]);
  }
  const all = words.includes("random") ? randoms.slice(shapes[0], shapes[1] + 1) : problems;
  const found = all.filter((problem) => [...byKind.values()].every((fits) => fits.some((fit) => fit(problem))));
  return found.length > 0 ? found : described(words.map((word) => word.toLowerCase()));
}
