/**
 * The loop of `multiplyTiles` in WebAssembly with 128-bit vectors: the same sums in the same order, and so the same bits.
 * Written as its bytes, so that nothing has to be built or loaded.
 */

/** Bytes of the memory where the tiles and the sums begin. */
export const simdLayout = { a: 0, b: 0x2000, sums: 0xa000, pages: 2 } as const;

const unsigned = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)]);
const signed = (value: number): number[] =>
  value >= -64 && value < 64 ? [value & 127] : [(value & 127) | 128, ...signed(value >> 7)];

const vector = (code: number): number[] => [0xfd, ...unsigned(code)];
const get = (local: number): number[] => [0x20, ...unsigned(local)];
const set = (local: number): number[] => [0x21, ...unsigned(local)];
const constant = (value: number): number[] => [0x41, ...signed(value)];
const add = [0x6a];
const addTo = (local: number, ...value: number[][]): number[] => [...get(local), ...value.flat(), ...add, ...set(local)];
const loadVector = (local: number, offset: number): number[] => [...get(local), ...vector(0x00), 2, ...unsigned(offset)];
const loadSplat = (local: number, offset: number): number[] => [...get(local), ...vector(0x09), 2, ...unsigned(offset)];
const store = (local: number, offset: number, value: number): number[] => [
  ...get(local),
  ...get(value),
  ...vector(0x0b),
  2,
  ...unsigned(offset),
];
const multiplyVectors = vector(0xe6);
const addVectors = vector(0xe4);
const zeroVector = [...vector(0x0c), ...new Array<number>(16).fill(0)];
/** Runs the body, then again while the condition that it leaves holds. */
const loop = (...body: number[][]): number[] => [0x03, 0x40, ...body.flat(), 0x0d, 0, 0x0b];
const below = [0x49];

/** Locals: the parameters n, depth and rows, then words, then vectors. */
const local = {
  n: 0,
  depth: 1,
  rows: 2,
  i: 3,
  j: 4,
  pa: 5,
  pb: 6,
  k: 7,
  out: 8,
  row: 9,
  sums: 10,
  b0: 18,
  b1: 19,
  a: 20,
} as const;
const blockRows = [0, 1, 2, 3] as const;

function innerLoop(): number[] {
  return loop(
    loadVector(local.pb, 0),
    set(local.b0),
    loadVector(local.pb, 16),
    set(local.b1),
    ...blockRows.flatMap((r) => [
      loadSplat(local.pa, 4 * r),
      set(local.a),
      ...[local.b0, local.b1].flatMap((b, half) => {
        const sum = local.sums + 2 * r + half;
        return [get(sum), get(local.a), get(b), multiplyVectors, addVectors, set(sum)];
      }),
    ]),
    addTo(local.pa, constant(256)),
    addTo(local.pb, get(local.row)),
    addTo(local.k, constant(-1)),
    get(local.k),
  );
}

/** multiply(n, depth, rows): blocks of 4 rows and 8 columns. */
function body(): number[] {
  const block = loop(
    ...Array.from({ length: 8 }, (_, s) => [...zeroVector, ...set(local.sums + s)]),
    get(local.i),
    set(local.pa),
    constant(simdLayout.b),
    get(local.j),
    add,
    set(local.pb),
    get(local.depth),
    set(local.k),
    innerLoop(),
    get(local.out),
    get(local.j),
    add,
    set(local.pa),
    ...blockRows.flatMap((r) => [
      store(local.pa, 0, local.sums + 2 * r),
      store(local.pa, 16, local.sums + 2 * r + 1),
      addTo(local.pa, get(local.row)),
    ]),
    addTo(local.j, constant(32)),
    get(local.j),
    get(local.row),
    below,
  );
  return [
    ...get(local.n),
    ...constant(2),
    0x74,
    ...set(local.row),
    ...constant(simdLayout.sums),
    ...set(local.out),
    ...loop(
      constant(0),
      set(local.j),
      block,
      addTo(local.out, get(local.row), constant(2), [0x74]),
      addTo(local.i, constant(16)),
      get(local.i),
      get(local.rows),
      constant(2),
      [0x74],
      below,
    ),
    0x0b,
  ];
}

const section = (id: number, content: readonly number[]): number[] => [id, ...unsigned(content.length), ...content];
const name = (text: string): number[] => [text.length, ...Array.from(text, (c) => c.charCodeAt(0))];

/** The module: exports `memory` and `multiply(n, depth, rows)`. */
export function simdModule(): Uint8Array<ArrayBuffer> {
  const code = [2, ...unsigned(7), 0x7f, ...unsigned(11), 0x7b, ...body()];
  return Uint8Array.from([
    0x00,
    0x61,
    0x73,
    0x6d,
    1,
    0,
    0,
    0,
    ...section(1, [1, 0x60, 3, 0x7f, 0x7f, 0x7f, 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, simdLayout.pages]),
    ...section(7, [2, ...name("memory"), 2, 0, ...name("multiply"), 0, 0]),
    ...section(10, [1, ...unsigned(code.length), ...code]),
  ]);
}
