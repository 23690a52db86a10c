/**
 * Linear algebra over bits, GF(2). A matrix is its columns: column i is what bit i of the input adds to the output, and adding is
 * exclusive or. Inputs and outputs are whole numbers of at most 31 bits.
 */
export type Columns = readonly number[];

export const mostBits = 31;

/** The bits of a number, lowest first. */
export const bitsOf = (value: number): number[] => {
  const bits: number[] = [];
  for (let rest = value; rest !== 0; rest &= rest - 1) bits.push(rest & -rest);
  return bits;
};

/** The number of a power of two's only bit. */
export const log2 = (power: number): number => 31 - Math.clz32(power);

export const isPowerOfTwo = (n: number): boolean =>
  Number.isInteger(n) && n > 0 && n <= 2 ** mostBits && Number.isInteger(Math.log2(n));

/** The least power of two that is not below n. */
export const powerOfTwoFrom = (n: number): number => 2 ** Math.ceil(Math.log2(n));

/** Powers of two below a power of two: 1, 2, 4, … */
export const powersBelow = (size: number): number[] => Array.from({ length: log2(size) }, (_, i) => 2 ** i);

export const times = (columns: Columns, input: number): number =>
  bitsOf(input).reduce((sum, bit) => sum ^ (columns[log2(bit)] ?? 0), 0);

/** A vector of the image, what input gives it, and its lowest bit, which no other row has. */
interface Row {
  readonly pivot: number;
  readonly vector: number;
  readonly input: number;
}

export interface Reduced {
  readonly rows: readonly Row[];
  /** A basis of the inputs that give 0. Each has one column, its highest, that no row's input and no other of them has. */
  readonly kernel: readonly number[];
}

/** Gauss and Jordan. A column that those before it span goes to the kernel: rows are inputs of the first columns that suffice. */
export function reduce(columns: Columns): Reduced {
  let rows: Row[] = [];
  const kernel: number[] = [];
  columns.forEach((column, i) => {
    let [vector, input] = [column, 2 ** i];
    for (const row of rows) {
      if ((vector & row.pivot) === 0) continue;
      vector ^= row.vector;
      input ^= row.input;
    }
    if (vector === 0) {
      kernel.push(input);
      return;
    }
    const pivot = vector & -vector;
    rows = rows.map((row) =>
      (row.vector & pivot) === 0 ? row : { pivot: row.pivot, vector: row.vector ^ vector, input: row.input ^ input },
    );
    rows.push({ pivot, vector, input });
  });
  return { rows, kernel };
}

/** The input that gives the output's part in the image; outputs that no input gives are taken to the nearest by pivots. */
export const preimage = ({ rows }: Reduced, output: number): number =>
  rows.reduce((input, row) => ((output & row.pivot) === 0 ? input : input ^ row.input), 0);

/** An input that gives exactly this output. */
export function solve(reduced: Reduced, output: number): number | undefined {
  const rest = reduced.rows.reduce((left, row) => ((output & row.pivot) === 0 ? left : left ^ row.vector), output);
  return rest === 0 ? preimage(reduced, output) : undefined;
}

/** A matrix X with M X M = M, as columns for `bits` bits of output. X M = 1 where M is injective, M X = 1 where it is surjective. */
export const pseudoInverseOf = (columns: Columns, bits: number): Columns => {
  const reduced = reduce(columns);
  return Array.from({ length: bits }, (_, i) => preimage(reduced, 2 ** i));
};
