/** Random programs over tiles, most of them without a layout: their text, and what they must compute. */
import fc from "fast-check";

/** Numbers stay below 1024, so that every type that elements are moved in holds them. */
const wrap = (x: number): number => x & 1023;

interface Tile {
  readonly shape: readonly number[];
  readonly data: readonly number[];
}

const size = (shape: readonly number[]): number => shape.reduce((n, extent) => n * extent, 1);

const coordinates = (shape: readonly number[], i: number): number[] => {
  const at: number[] = [];
  let rest = i;
  for (const extent of shape.toReversed()) {
    at.unshift(rest % extent);
    rest = Math.floor(rest / extent);
  }
  return at;
};

const indexOf = (shape: readonly number[], at: readonly number[]): number =>
  shape.reduce((i, extent, d) => i * extent + (at[d] ?? 0), 0);

const make = (shape: readonly number[], element: (at: readonly number[]) => number): Tile => ({
  shape,
  data: Array.from({ length: size(shape) }, (_, i) => element(coordinates(shape, i))),
});

const read = ({ shape, data }: Tile, at: readonly number[]): number => data[indexOf(shape, at)] ?? 0;

/** A tile of the program. `lies`: the layout that the author's text gives it, by name; undefined where it is open. */
interface Variable {
  readonly name: string;
  readonly value: Tile;
  readonly lies: string | undefined;
}

/** A tensor that tiles are loaded from: 64 × 64 elements. */
export interface Input {
  readonly name: string;
  readonly dtype: "i32" | "u8" | "f16" | "f32" | "i16";
}
export const inputs: readonly Input[] = [
  { name: "a", dtype: "i32" },
  { name: "b", dtype: "u8" },
  { name: "c", dtype: "f16" },
  { name: "d", dtype: "f32" },
  { name: "e", dtype: "i16" },
];
export const edge = 64;
export const inputElement = (which: number, row: number, col: number): number => (row * 37 + col * 11 + which * 5) % 101;

/** `expected`: what is stored, in order, each 64 × 64 numbers. */
export interface TileProgram {
  readonly text: string;
  readonly expected: readonly (readonly number[])[];
}

type Choice = (n: number) => number;

const binaries = [
  ["+", (x: number, y: number) => x + y],
  ["-", (x: number, y: number) => x - y],
  ["*", (x: number, y: number) => x * y],
  ["^", (x: number, y: number) => x ^ y],
] as const;

const layouts: Readonly<Record<string, string>> = {
  rows: "new BlockedLayout({ perThread: [1, 4], threads: [4, 8], warps: [WARPS, 1] })",
  columns: "new BlockedLayout({ perThread: [2, 1], threads: [16, 2], warps: [1, WARPS], order: [0, 1] })",
  line: "new BlockedLayout({ perThread: [2], threads: [32], warps: [WARPS] })",
  accumulator: "new WGMMALayout()",
  product: "new MMALayout({ warps: [WARPS, 1] })",
};

class Writer {
  private readonly pick: Choice;
  readonly threads: number;
  readonly lines: string[] = [];
  readonly expected: number[][] = [];
  private count = 0;
  private shared = 0;
  private used = new Set<string>();

  constructor(pick: Choice) {
    this.pick = pick;
    this.threads = [32, 64, 128, 128, 256][pick(5)] ?? 128;
  }

  private fresh(): string {
    return `t${this.count++}`;
  }

  private keep(expression: string, value: Tile, lies: string | undefined): Variable {
    const name = this.fresh();
    this.lines.push(`let ${name} = ${expression};`);
    return { name, value, lies };
  }

  private extent(): number {
    return [4, 8, 16, 32, 64][this.pick(5)] ?? 8;
  }

  /** Each thread has few elements, so that thousands of programs are compiled. */
  private extents(): number[] {
    const shape = [this.extent(), this.extent()];
    while (size(shape) > 8 * this.threads) shape[1] = (shape[1] ?? 2) / 2;
    return shape;
  }

  private layoutFor(shape: readonly number[]): string | undefined {
    if (this.pick(5) > 0) return undefined;
    if (shape.length === 1) return "line";
    if (shape.length !== 2) return undefined;
    const names = ["rows", "columns"];
    if (this.threads === 128 && shape[0] === 64 && (shape[1] ?? 0) >= 8) names.push("accumulator");
    if ((shape[0] ?? 0) >= 16 && (shape[1] ?? 0) >= 8) names.push("product");
    return names[this.pick(names.length)];
  }

  private named(lies: string | undefined): string {
    if (lies) this.used.add(lies);
    return lies ? `, ${lies}` : "";
  }

  load(): Variable {
    const which = this.pick(inputs.length);
    const { name } = inputs[which] as Input;
    const turned = this.pick(2) === 1;
    const source = turned ? `${name}.transpose()` : name;
    const at = (r: number, c: number): number =>
      r < edge && c < edge ? (turned ? inputElement(which, c, r) : inputElement(which, r, c)) : 0;
    const [row, col] = [this.pick(3) * 16, this.pick(4) * 8 + this.pick(2)];
    if (this.pick(4) === 0) {
      const extent = this.extent();
      const lies = this.layoutFor([extent]);
      return this.keep(
        `i32(${source}.at(${row}).loadTile([${col}], [${extent}]${this.named(lies)}))`,
        make([extent], ([c = 0]) => at(row, col + c)),
        lies,
      );
    }
    const shape = this.extents();
    const lies = this.layoutFor(shape);
    const value = make(shape, ([r = 0, c = 0]) => at(row + r, col + c));
    return this.keep(`i32(${source}.loadTile([${row}, ${col}], [${shape.join(", ")}]${this.named(lies)}))`, value, lies);
  }

  made(): Variable {
    if (this.pick(2) === 0) {
      const extent = this.extent();
      return this.keep(
        `tile.arange(${extent})`,
        make([extent], ([i = 0]) => i),
        undefined,
      );
    }
    const shape = this.pick(3) === 0 ? [this.extent()] : this.extents();
    const n = this.pick(100);
    return this.keep(
      `tile.full([${shape.join(", ")}], i32(${n}))`,
      make(shape, () => n),
      undefined,
    );
  }

  /** Something with the same shape: a variable that may stand beside this one, or a new tile. */
  private beside(x: Variable, all: readonly Variable[]): Variable {
    const fits = all.filter(
      ({ value, lies }) =>
        value.shape.join() === x.value.shape.join() && (lies === x.lies || lies === undefined || x.lies === undefined),
    );
    return fits[this.pick(fits.length)] ?? x;
  }

  private binary(x: Variable, y: Variable): Variable {
    const [op, f] = binaries[this.pick(binaries.length)] ?? binaries[0];
    const value = make(x.value.shape, (at) => wrap(f(read(x.value, at), read(y.value, at))));
    return this.keep(`(${x.name} ${op} ${y.name}) & 1023`, value, x.lies ?? y.lies);
  }

  private reduced(x: Variable, axis: number): Variable {
    const { shape } = x.value;
    const rest = shape.toSpliced(axis, 1);
    const line = (at: readonly number[]): number[] =>
      Array.from({ length: shape[axis] ?? 1 }, (_, i) => read(x.value, at.toSpliced(axis, 0, i)));
    const [name, f] = (
      [
        ["sum", (list: number[]) => list.reduce((a, b) => a + b, 0)],
        ["max", (list: number[]) => Math.max(...list)],
        ["min", (list: number[]) => Math.min(...list)],
      ] as const
    )[this.pick(3)] ?? ["max", (list: number[]) => Math.max(...list)];
    const value = make(rest, (at) => wrap(f(line(at))));
    return this.keep(`tile.${name}(${x.name}, ${axis}) & 1023`, value, x.lies && `slice ${axis} ${x.lies}`);
  }

  /** What a reduction leaves, expanded beside the tile again. */
  private lessRow(x: Variable): Variable {
    const axis = this.pick(2);
    const row = this.reduced(x, axis);
    const value = make(x.value.shape, (at) => wrap(read(x.value, at) - read(row.value, at.toSpliced(axis, 1))));
    return this.keep(`(${x.name} - tile.expand(${row.name}, ${axis})) & 1023`, value, x.lies);
  }

  /** A line beside a matrix. */
  private outer(x: Variable, all: readonly Variable[]): Variable {
    const axis = this.pick(2);
    const { shape } = x.value;
    const lines = all.filter(({ value, lies }) => lies === undefined && value.shape.join() === `${shape[1 - axis]}`);
    const line =
      lines[this.pick(lines.length)] ??
      this.keep(
        `tile.arange(${shape[1 - axis]})`,
        make([shape[1 - axis] ?? 1], ([i = 0]) => i),
        undefined,
      );
    const value = make(shape, (at) => wrap(read(x.value, at) + read(line.value, at.toSpliced(axis, 1))));
    return this.keep(`(${x.name} + tile.expand(${line.name}, ${axis})) & 1023`, value, x.lies);
  }

  private scanned(x: Variable): Variable {
    const axis = this.pick(x.value.shape.length);
    const value = make(x.value.shape, (at) => {
      let sum = 0;
      for (let i = 0; i <= (at[axis] ?? 0); i++) sum += read(x.value, at.with(axis, i));
      return wrap(sum);
    });
    return this.keep(`tile.scan(${x.name}, ${axis}, (p, q) => (p + q) & 1023)`, value, x.lies);
  }

  private turned(x: Variable): Variable {
    const { shape } = x.value;
    const value = make(shape.toReversed(), (at) => read(x.value, at.toReversed()));
    return this.keep(`tile.transpose(${x.name})`, value, x.lies && `turned ${x.lies}`);
  }

  private reshaped(x: Variable): Variable {
    const { shape, data } = x.value;
    const whole = size(shape);
    const to = ([[whole], [Math.min(whole, 8), whole / Math.min(whole, 8)], [whole / 4, 4], [whole / 8, 4, 2]] as const)[
      this.pick(4)
    ] ?? [whole];
    if (to.some((n) => n < 1 || !Number.isInteger(n))) return x;
    return this.keep(
      `tile.reshape(${x.name}, [${to.join(", ")}])`,
      { shape: to, data },
      x.lies && `as ${to.join("x")} ${x.lies}`,
    );
  }

  private paired(x: Variable, all: readonly Variable[]): Variable {
    const y = this.beside(x, all);
    const shape = [...x.value.shape, 2];
    const joined = make(shape, (at) => read(at.at(-1) === 0 ? x.value : y.value, at.slice(0, -1)));
    const lies = x.lies ?? y.lies;
    if (this.pick(2) === 0) {
      const flat = x.value.shape.with(-1, 2 * (x.value.shape.at(-1) ?? 1));
      return this.keep(`tile.interleave(${x.name}, ${y.name})`, { shape: flat, data: joined.data }, lies && `mixed ${lies}`);
    }
    const both = this.keep(`tile.join(${x.name}, ${y.name})`, joined, lies && `joined ${lies}`);
    if (this.pick(3) === 0 && shape.length < 4) return both;
    const [p, q] = [this.fresh(), this.fresh()];
    this.lines.push(`let [${p}, ${q}] = tile.split(${both.name});`);
    const value = make(x.value.shape, (at) => wrap(read(x.value, at) + 3 * read(y.value, at)));
    return this.keep(`(${p} + 3 * ${q}) & 1023`, value, lies && `half ${lies}`);
  }

  private split(x: Variable): Variable | undefined {
    const { shape, data } = x.value;
    if (x.lies !== undefined || (shape.at(-1) ?? 1) < 4 || shape.length > 2) return undefined;
    const to = [...shape.slice(0, -1), (shape.at(-1) ?? 2) / 2, 2];
    const pairs: Tile = { shape: to, data };
    const [p, q] = [this.fresh(), this.fresh()];
    this.lines.push(`let [${p}, ${q}] = tile.split(tile.reshape(${x.name}, [${to.join(", ")}]));`);
    const half = to.slice(0, -1);
    return this.keep(
      `(${p} - ${q}) & 1023`,
      make(half, (at) => wrap(read(pairs, [...at, 0]) - read(pairs, [...at, 1]))),
      undefined,
    );
  }

  private chosen(x: Variable, all: readonly Variable[]): Variable {
    const [y, limit] = [this.beside(x, all), this.pick(200)];
    const value = make(x.value.shape, (at) => (read(x.value, at) < limit ? read(y.value, at) : 7));
    const text = this.pick(2) === 0 ? `tile.where(${x.name} < ${limit}, ${y.name}, 7)` : `${x.name} < ${limit} ? ${y.name} : 7`;
    return this.keep(text, value, x.lies ?? y.lies);
  }

  private gathered(x: Variable): Variable {
    const axis = this.pick(x.value.shape.length);
    const extent = x.value.shape[axis] ?? 1;
    const value = make(x.value.shape, (at) => read(x.value, at.with(axis, (read(x.value, at) * 5 + 1) & (extent - 1))));
    return this.keep(`tile.gather(${x.name}, (${x.name} * 5 + 1) & ${extent - 1}, ${axis})`, value, x.lies);
  }

  private counted(x: Variable): Variable {
    const bins = [8, 32, 128][this.pick(3)] ?? 8;
    const value = make([bins], ([i = 0]) => wrap(x.value.data.filter((n) => n === i).length));
    return this.keep(`tile.histogram(${x.name}, ${bins}) & 1023`, value, undefined);
  }

  private converted(x: Variable): Variable | undefined {
    const lies = this.layoutFor(x.value.shape);
    return lies ? this.keep(`tile.convertLayout(${x.name}${this.named(lies)})`, x.value, lies) : undefined;
  }

  /** Through shared memory, where it lies one way or the other. */
  private kept(x: Variable): Variable | undefined {
    const { shape } = x.value;
    if (shape.length > 2 || size(shape) > 2048 || this.shared > 3) return undefined;
    const name = `s${this.shared++}`;
    const turned = shape.length === 2 && this.pick(2) === 0;
    const padded = turned ? shape.toReversed() : shape;
    const lies = this.layoutFor(shape);
    const view = turned ? `${name}.transpose()` : name;
    this.lines.push(
      `const ${name} = sharedMemory.alloc("i32", [${padded.join(", ")}]);`,
      `${view}.store(${x.name});`,
      "syncThreads();",
    );
    this.named(lies);
    return this.keep(`${view}.load(${lies ?? ""})`, x.value, lies);
  }

  private branched(x: Variable, all: readonly Variable[]): Variable {
    const y = this.beside(x, all);
    const out = this.fresh();
    const taken = this.pick(2) === 0;
    const first = this.lines.length;
    const z = this.binary(x, y);
    const own = this.lines.splice(first);
    this.lines.push(`let ${out} = ${x.name};`, `if (n ${taken ? ">" : "<"} 1) { ${own.join(" ")} ${out} = ${z.name}; }`);
    return { name: out, value: taken ? z.value : x.value, lies: x.lies ?? z.lies };
  }

  /** n is 2. */
  private looped(x: Variable, all: readonly Variable[]): Variable {
    const y = this.beside(x, all);
    if (y.lies !== x.lies && x.lies !== undefined && y.lies !== undefined) return x;
    const out = this.fresh();
    const { shape } = x.value;
    const square = shape.length === 2 && shape[0] === shape[1] && x.lies === undefined;
    const turn = square && this.pick(2) === 0;
    let value = x.value;
    for (let i = 0; i < 2; i++) {
      const before = value;
      const source = turn ? make(shape, (at) => read(before, at.toReversed())) : before;
      value = make(shape, (at) => wrap(read(source, at) + read(y.value, at) * (i + 1)));
    }
    const from = turn ? `tile.transpose(${out})` : out;
    this.lines.push(`let ${out} = ${x.name};`, `for (const i of range(n)) { ${out} = (${from} + ${y.name} * (i + 1)) & 1023; }`);
    return { name: out, value, lies: x.lies };
  }

  step(all: readonly Variable[]): Variable | undefined {
    const x = all[this.pick(all.length)] as Variable;
    const { shape } = x.value;
    const small = size(shape) <= 512;
    switch (this.pick(17)) {
      case 0:
        return this.load();
      case 1:
        return this.made();
      case 2:
      case 3:
        return this.binary(x, this.beside(x, all));
      case 4:
        return shape.length > 1 ? this.reduced(x, this.pick(shape.length)) : undefined;
      case 5:
        return shape.length === 2 ? this.lessRow(x) : undefined;
      case 6:
        return shape.length === 2 ? this.outer(x, all) : undefined;
      case 7:
        return small ? this.scanned(x) : undefined;
      case 8:
        return shape.length === 2 && x.lies !== "accumulator" ? this.turned(x) : undefined;
      case 9:
        return small ? this.reshaped(x) : undefined;
      case 10:
        return small && shape.length < 3 ? this.paired(x, all) : undefined;
      case 11:
        return this.chosen(x, all);
      case 12:
        return small ? this.gathered(x) : undefined;
      case 13:
        return this.pick(2) === 0 ? this.counted(x) : this.converted(x);
      case 14:
        return this.kept(x);
      case 15:
        return this.branched(x, all);
      default:
        return this.pick(3) === 0 ? this.split(x) : this.looped(x, all);
    }
  }

  store({ name, value: { shape, data } }: Variable, nth: number): void {
    const flat =
      shape.length === 2
        ? name
        : `tile.reshape(${name}, [${shape.length === 1 ? `1, ${shape[0]}` : `${shape[0]}, ${size(shape.slice(1))}`}])`;
    const cols = shape.length === 1 ? (shape[0] ?? 1) : size(shape.slice(1));
    const out = new Array<number>(4096).fill(0);
    const turned = this.pick(2) === 0;
    data.forEach((n, i) => {
      const [r, c] = [Math.floor(i / cols), i % cols];
      if (r < edge && c < edge) out[turned ? c * edge + r : r * edge + c] = n;
    });
    this.expected.push(out);
    this.lines.push(`out.at(${nth})${turned ? ".transpose()" : ""}.storeTile([0, 0], ${flat});`);
  }

  get text(): string {
    const warps = String(this.threads / 32);
    const declared = [...this.used].map((name) => `const ${name} = ${(layouts[name] ?? "").replaceAll("WARPS", warps)};`);
    const parameters = inputs.map(({ name, dtype }) => `${name}: Tensor<"${dtype}", 2>`).join(", ");
    return `
import { kernel, range, tile, i32, f16, f32, sharedMemory, syncThreads, BlockedLayout, WGMMALayout, MMALayout, type Tensor } from "warpsmith";
${declared.join("\n")}
export const f = kernel({ block: ${this.threads}, grid: 1 }, function f(${parameters}, out: Tensor<"i32", 3>, n: i32) {
  ${this.lines.join("\n  ")}
});`;
  }
}

/** How many tiles are stored at the end, at most. */
export const stored = 3;

/** A program from a list of numbers, each of which decides something. */
export function programOf(numbers: readonly number[]): TileProgram {
  let at = 0;
  const pick: Choice = (n) => {
    const number = numbers[at++ % Math.max(1, numbers.length)] ?? 0;
    return n <= 0 ? 0 : (number + at) % n;
  };
  const w = new Writer((n) => pick(n));
  const all: Variable[] = [w.load(), w.load()];
  const steps = 3 + pick(8);
  for (let i = 0; i < steps; i++) {
    const made = w.step(all);
    if (made && size(made.value.shape) <= 8 * w.threads) all.push(made);
  }
  all.slice(-stored).forEach((variable, i) => {
    w.store(variable, i);
  });
  return { text: w.text, expected: w.expected };
}

export const tilePrograms: fc.Arbitrary<TileProgram> = fc
  .array(fc.nat(100_000), { minLength: 60, maxLength: 90 })
  .map((numbers) => programOf(numbers));
