/** Random programs whose text also runs as plain JavaScript: `grid`, `block` and their kin are then functions that do what they mean. */

/** Numbers that look random; the same for the same seed. Source: mulberry32, by Tommy Ettinger, in the public domain. */
function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

const [ROWS, COLS] = [6, 8];

/** What may be named at one place: integers below ROWS, below COLS, any integers, floats. */
interface Names {
  readonly row: readonly string[];
  readonly col: readonly string[];
  readonly int: readonly string[];
  readonly float: readonly string[];
}
const none: Names = { row: [], col: [], int: [], float: [] };

export interface RandomProgram {
  /** The module, for the transform. */
  readonly module: string;
  /** The body of the function, for JavaScript. */
  readonly body: string;
}

class Maker {
  readonly #random: (below: number) => number;
  #count = 0;

  constructor(seed: number) {
    this.#random = randomOf(seed);
  }

  #pick<T>(...choices: readonly T[]): T {
    return choices[this.#random(choices.length)] as T;
  }
  #often(percent: number): boolean {
    return this.#random(100) < percent;
  }
  #fresh(stem: string): string {
    return `${stem}${this.#count++}`;
  }

  #row(n: Names): string {
    return n.row.length === 0 || this.#often(15)
      ? String(this.#random(ROWS))
      : this.#often(70)
        ? this.#pick(...n.row)
        : `(${this.#pick(...n.row)} + ${this.#random(5)}) % ${ROWS}`;
  }
  #col(n: Names): string {
    const c = n.col.length === 0 ? String(this.#random(COLS)) : this.#pick(...n.col);
    return this.#pick(
      c,
      c,
      c,
      `(${c} * 3 + ${this.#random(5)}) % ${COLS}`,
      `${COLS - 1} - ${c}`,
      `Math.min(${c} + 1, ${COLS - 1})`,
      `floorDiv(${c}, 2)`,
    );
  }

  int(n: Names, depth: number): string {
    if (depth === 0) {
      const named = [...n.row, ...n.col, ...n.int];
      return this.#pick(
        String(this.#random(20)),
        `W[${this.#col(n)}]`,
        `B[${this.#col(n)}]`,
        named.length > 0 ? this.#pick(...named) : "3",
      );
    }
    const [a, b] = [this.int(n, depth - 1), this.int(n, depth - 1)];
    return this.#pick(
      `(${a} ${this.#pick("+", "-", "*")} ${b}) % 97`,
      `(${a} - ${b}) % 97 - ${this.#random(9)}`,
      `floorDiv(${a}, ${this.#random(4) + 2})`,
      `Math.${this.#pick("min", "max")}(${a}, ${b})`,
      `(${this.bool(n, depth - 1)} ? ${a} : ${b})`,
      `Math.abs(${a})`,
      `i32(${this.float(n, 0)})`,
      `-(${a})`,
    );
  }

  float(n: Names, depth: number): string {
    if (depth === 0) {
      const at = `[${this.#row(n)}][${this.#col(n)}]`;
      return this.#pick(
        `A${at}`,
        `Z${at}`,
        `T${at}`,
        `f64(H[${this.#col(n)}])`,
        `f64(${this.int(n, 0)})`,
        n.float.length > 0 ? this.#pick(...n.float) : `A${at}`,
      );
    }
    const [a, b] = [this.float(n, depth - 1), this.float(n, depth - 1)];
    return this.#pick(
      `${a} ${this.#pick("+", "-")} ${b}`,
      `(${a} + ${b}) * ${this.#pick("0.5", "2", "-1.25", "0.1")}`,
      `(${a} - (${b} - 1.5)) / 3`,
      `Math.${this.#pick("min", "max")}(${a}, ${b})`,
      `(${this.bool(n, depth - 1)} ? ${a} : ${this.#pick(b, b, "0", "0.25")})`,
      `f64(${this.#pick("f32", "f16", "bf16")}(${a}))`,
      `Math.${this.#pick("abs", "floor", "tanh", "sin")}(${a})`,
      `Math.sqrt(Math.abs(${a}))`,
      `mix(${a}, ${b})`,
      `f64((${this.bool(n, 0)} ? 1 : 0) + ${this.#random(3)})`,
      `-(${a})`,
      `${a} % 7`,
    );
  }

  bool(n: Names, depth: number): string {
    if (depth === 0 || this.#often(50)) {
      const kind = this.#often(50) ? this.int(n, 0) : undefined;
      const [a, b] =
        kind === undefined
          ? [this.float(n, 0), this.#pick(this.float(n, 0), "0", "1.5")]
          : [kind, this.#pick(this.int(n, 0), "4")];
      return `${a} ${this.#pick("<", "<=", ">", ">=", "===", "!==")} ${b}`;
    }
    const [a, b] = [this.bool(n, depth - 1), this.bool(n, depth - 1)];
    return this.#pick(`(${a}) && (${b})`, `(${a}) || ${b}`, `!(${a})`);
  }

  #store(n: Names): string {
    const at = `[${this.#row(n)}][${this.#col(n)}]`;
    return this.#pick(
      `${this.#pick("Z", "T")}${at} ${this.#pick("=", "=", "+=", "-=")} ${this.float(n, 2)};`,
      `W[${this.#col(n)}] = ${this.int(n, 2)};`,
      `F[${this.#col(n)}] = f32(${this.float(n, 1)});`,
    );
  }

  /** A statement list; `names` grow along it. */
  list(names: Names, depth: number): string {
    let n = names;
    const lines = Array.from({ length: 1 + this.#random(3) }, () => {
      const { text, names: more } = this.statement(n, depth);
      n = more;
      return text;
    });
    return lines.join("\n");
  }

  statement(n: Names, depth: number): { text: string; names: Names } {
    const as = (text: string, names: Names = n): { text: string; names: Names } => ({ text, names });
    const [inner, name] = [Math.max(0, depth - 1), this.#fresh("t")];
    const simple = this.#random(depth > 0 ? 14 : 7);
    switch (simple) {
      case 0:
      case 1:
        return as(`const ${name} = ${this.float(n, 1)};`, { ...n, float: [...n.float, name] });
      case 2:
        return as(`const ${name} = ${this.int(n, 1)};`, { ...n, int: [...n.int, name] });
      case 7:
        return as(
          `if (${this.bool(n, 1)}) {\n${this.list(n, inner)}\n}${this.#often(50) ? ` else {\n${this.list(n, inner)}\n}` : ""}`,
        );
      case 8:
        return as(`if (${this.#pick("FLAG", "!FLAG", "N > 3")}) {\n${this.list(n, inner)}\n} else {\n${this.list(n, inner)}\n}`);
      case 9:
        return as(
          `for (const ${name} of ${this.#pick("[0, 2]", "[1, 3, 5].filter((x) => x > 1)")}) {\n${this.list({ ...n, row: [...n.row, name], col: [...n.col, name] }, inner)}\n}`,
        );
      case 10:
        return as(
          `let ${name} = ${this.float(n, 1)};\nfor (let q = 0; q < 2; q++) ${name} = ${name} + ${this.float({ ...n, int: [...n.int, "q"] }, 1)};`,
          { ...n, float: [...n.float, name] },
        );
      case 11:
        return as(`const [${name}, ${name}b] = [${this.float(n, 1)}, ${this.float(n, 0)}].map((x, at) => x * 0.5 + at);`, {
          ...n,
          float: [...n.float, name, `${name}b`],
        });
      case 12: {
        const [call, extent] = this.#loop();
        const v = this.#fresh("r");
        const below = extent <= ROWS ? { row: [...n.row, v], col: [...n.col, v] } : { col: [...n.col, v] };
        return as(`for (const ${v} of ${call}) {\n${this.list({ ...n, ...below }, inner)}\n}`);
      }
      case 13:
        // What a program refuses, or does as JavaScript does: a variable that a loop or a branch changes.
        return this.#often(30)
          ? as(
              `let ${name} = ${this.float(n, 0)};\n${this.#pick(`for (const u of grid(3)) {\n${name} = ${name} + A[u][0];\n}`, `if (${this.bool(n, 0)}) ${name} = 2;`, `const put${name} = () => { ${name} = ${name} + 1; };\nput${name}();`)}`,
              { ...n, float: [...n.float, name] },
            )
          : as(this.#store(n));
      default:
        return as(this.#store(n));
    }
  }

  #loop(): readonly [string, number] {
    const extent = this.#pick(2, 3, 6, 8);
    return [
      this.#pick(`grid(${extent})`, `unrolled(${extent})`, `vectorized(${extent})`, `serial(${extent}, { note: "x" })`),
      extent,
    ];
  }

  /** Loops with one block in them. */
  nest(): string {
    const block = `"b${this.#count++}"`;
    const inside = (names: Partial<Names>, first = ""): string => `{\n${first}${this.list({ ...none, ...names }, 2)}\n}`;
    const sum = (): string =>
      `init(() => {\nZ[vi][vj] = ${this.float({ ...none, row: ["vi"], col: ["vj"] }, 1)};\n});\nZ[vi][vj] += `;
    switch (this.#random(7)) {
      case 0:
        return `for (const [i, j] of grid(${ROWS}, ${COLS}))\nblock(${block}, { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => ${inside({ row: ["vi"], col: ["vj"] })});`;
      case 1:
        return `for (const i of bind("blockIdx.x", ${ROWS}))\nfor (const j of bind("threadIdx.x", ${COLS}))\nblock(${block}, { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => ${inside({ row: ["vi"], col: ["vj"] })});`;
      case 2:
        return `for (const [i0, i1, j] of grid(2, 4, ${COLS}))\nblock(${block}, { vi: spatial(${ROWS}, i0 * 4 + i1), vj: spatial(j) }, ({ vi, vj }) => ${inside({ row: ["vi"], col: ["vj"] }, `where(i0 * 4 + i1 < ${ROWS});\n`)});`;
      case 3:
        return `for (const [i, j, k] of grid(${ROWS}, ${COLS}, 5))\nblock(${block}, { vi: spatial(i), vj: spatial(j), vk: reduce(k) }, ({ vi, vj, vk }) => {\n${sum()}${this.float({ ...none, row: ["vi", "vk"], col: ["vj", "vk"] }, 1)};\n});`;
      case 4:
        return `for (const f of grid(${ROWS * COLS}))\nfor (const [k0, k1] of grid(2, 3))\nblock(${block}, { vi: spatial(${ROWS}, floorDiv(f, ${COLS})), vj: spatial(${COLS}, f % ${COLS}), vk: reduce(${ROWS}, k0 * 3 + k1) }, ({ vi, vj, vk }) => {\n${sum()}${this.float({ ...none, row: ["vi", "vk"], col: ["vj"] }, 2)};\n});`;
      case 5: {
        const v = this.#fresh("s");
        return `for (const ${v} of grid(${ROWS})) {\n${this.list({ ...none, row: [v], col: [v] }, 2)}\n}`;
      }
      default:
        return `block(${block}, {}, () => ${inside({})});`;
    }
  }

  program(): RandomProgram {
    const nests = Array.from({ length: 1 + this.#random(3) }, () => this.nest());
    const helper = this.#pick(
      "const mix = (a, b) => a * 0.25 + b;",
      "function mix(a, b) { const c = a < b; return c ? a : b - 0.5; }",
      "const mix = (a, b) => [a, b].reduce((x, y) => x + y) * 0.5;",
    );
    const fill = `for (const [i, j] of grid(${ROWS}, ${COLS}))\nblock("fill", { vi: spatial(i), vj: spatial(j) }, ({ vi, vj }) => {\nT[vi][vj] = A[vi][vj] * 2;\n});`;
    const body = `const T = alloc("f64", [${ROWS}, ${COLS}], "shared");\nconst FLAG = ${this.#often(50)};\nconst N = A.shape[0];\n${helper}\n${fill}\n${nests.join("\n")}`;
    const module = `import { bf16, f16, f32, f64, i32 } from "warpsmith";
import { alloc, bind, block, floorDiv, grid, init, program, reduce, serial, spatial, type Buffer, unrolled, vectorized, where } from "warpsmith/schedule";
export const p = program({ A: [${ROWS}, ${COLS}], B: [${COLS}], H: [${COLS}], Z: [${ROWS}, ${COLS}], W: [${COLS}], F: [${COLS}] },
function p(A: Buffer<"f64", 2>, B: Buffer<"i32", 1>, H: Buffer<"f16", 1>, Z: Buffer<"f64", 2>, W: Buffer<"i32", 1>, F: Buffer<"f32", 1>) {
${body}
});
`;
    return { module, body };
  }
}

export const randomProgram = (seed: number): RandomProgram => new Maker(seed).program();

/** What both runs begin with and change. */
export interface Data {
  readonly A: Float64Array;
  readonly B: Int32Array;
  readonly H: Float32Array;
  readonly Z: Float64Array;
  readonly W: Int32Array;
  readonly F: Float32Array;
}

export function makeData(seed: number): Data {
  const random = randomOf(seed ^ 0x5eed);
  const quarter = (): number => (random(41) - 20) / 4;
  return {
    A: Float64Array.from({ length: ROWS * COLS }, quarter),
    B: Int32Array.from({ length: COLS }, () => random(30) - 10),
    H: Float32Array.from({ length: COLS }, quarter),
    Z: Float64Array.from({ length: ROWS * COLS }, quarter),
    W: Int32Array.from({ length: COLS }, () => random(30) - 10),
    F: new Float32Array(COLS),
  };
}

class Skip extends Error {}

type Axis = { readonly value: number; readonly reduces: boolean };

/** Rows of a flat array, with its shape. */
const rowsOf = (flat: Float64Array): object =>
  Object.assign(
    Array.from({ length: ROWS }, (_, i) => flat.subarray(i * COLS, (i + 1) * COLS)),
    { shape: [ROWS, COLS] },
  );

function* counted(extents: readonly number[]): Generator<number[]> {
  const [first, ...rest] = extents;
  if (first === undefined) yield [];
  else for (let i = 0; i < first; i++) for (const more of counted(rest)) yield [i, ...more];
}
const count = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

/** Runs the body as JavaScript: loops are loops, a block is a call. `round` gives the conversions. */
export function runPlain(body: string, data: Data, round: Readonly<Record<string, (x: number) => number>>): void {
  let reductions: readonly number[] = [];
  const stubs = {
    grid: (...extents: number[]) => (extents.length === 1 ? count(extents[0] ?? 0) : counted(extents)),
    unrolled: count,
    vectorized: count,
    serial: count,
    bind: (_: string, n: number) => count(n),
    spatial: (...x: number[]): Axis => ({ value: x.at(-1) ?? 0, reduces: false }),
    reduce: (...x: number[]): Axis => ({ value: x.at(-1) ?? 0, reduces: true }),
    block: (_: string, axes: Record<string, Axis>, run: (values: Record<string, number>) => void) => {
      const outer = reductions;
      reductions = Object.values(axes).flatMap((a) => (a.reduces ? [a.value] : []));
      try {
        run(Object.fromEntries(Object.entries(axes).map(([name, a]) => [name, a.value])));
      } catch (error) {
        if (!(error instanceof Skip)) throw error;
      } finally {
        reductions = outer;
      }
    },
    where: (holds: boolean) => {
      if (!holds) throw new Skip();
    },
    init: (run: () => void) => {
      if (reductions.every((x) => x === 0)) run();
    },
    alloc: () => rowsOf(new Float64Array(ROWS * COLS).fill(Number.NaN)),
    floorDiv: (a: number, b: number) => Math.floor(a / b),
    ...round,
    A: rowsOf(data.A),
    B: data.B,
    H: data.H,
    Z: rowsOf(data.Z),
    W: data.W,
    F: data.F,
  };
  new Function(...Object.keys(stubs), `"use strict";\n${body}`)(...Object.values(stubs));
}
