import { chosen, divided, isLess, isSame, lesser, minus, type Natural, plus, times } from "./natural.ts";

/** Columns first, rows first, bands of rows, or squares that a curve runs through. */
export type TileOrder = "grouped" | "hilbert" | "row" | "column";

/** How many tiles there are. */
export interface Extents {
  readonly alongM: Natural;
  readonly alongN: Natural;
}
export interface Position {
  readonly m: Natural;
  readonly n: Natural;
}

/** Where the tile of that number lies. `group`: rows of a band. Static arithmetic stays static, so the same runs on the host. */
export function tileInOrder(order: TileOrder, number: Natural, extents: Extents, group: number): Position {
  switch (order) {
    case "row": {
      const [m, n] = divided(number, extents.alongN);
      return { m, n };
    }
    case "column": {
      const [n, m] = divided(number, extents.alongM);
      return { m, n };
    }
    case "grouped":
      return inBands(number, extents, group);
    case "hilbert":
      return inSquares(number, extents);
    default:
      return order satisfies never;
  }
}

/** Bands of `group` rows, each column by column; the last one may have fewer rows. */
function inBands(number: Natural, { alongM, alongN }: Extents, group: number): Position {
  const height = typeof alongM === "number" ? Math.min(group, alongM) : group;
  const [band, inBand] = divided(number, times(height, alongN));
  const first = times(band, height);
  const within = (rows: Natural): Position => {
    const [n, m] = divided(inBand, rows);
    return { m: plus(first, m), n };
  };
  if (typeof alongM !== "number") return within(lesser(height, minus(alongM, first)));
  const rest = alongM % height;
  return rest === 0 ? within(height) : either(isLess(first, alongM - rest), within(height), within(rest));
}

const either = (condition: ReturnType<typeof isLess>, yes: Position, no: Position): Position => ({
  m: chosen(condition, yes.m, no.m),
  n: chosen(condition, yes.n, no.n),
});

const smallSquare = 8;

/** The side of the squares: a power of two. As large as divides both extents, or small, so that little is left at the edges. */
function sideOf({ alongM, alongN }: Extents): number {
  if (typeof alongM !== "number" || typeof alongN !== "number") return smallSquare;
  const whole = Math.min(alongM & -alongM, alongN & -alongN);
  return whole >= smallSquare ? whole : 2 ** Math.floor(Math.log2(Math.min(smallSquare, alongM, alongN)));
}

/**
 * Hilbert curves through squares: along M, then back in the next row of squares, so that one curve begins where another ended.
 * What the squares leave over follows: the rows below them, then the columns beside, across each strip.
 */
function inSquares(number: Natural, extents: Extents): Position {
  const { alongM, alongN } = extents;
  const side = sideOf(extents);
  const [squaresM, below] = divided(alongM, side);
  const [squaresN, beside] = divided(alongN, side);
  const inside = times(times(squaresM, squaresN), side * side);
  const middle = inRowsOfSquares(number, squaresM, side);
  const afterInside = minus(number, inside);
  const [stripN, stripM] = divided(afterInside, atLeastOne(below));
  const lower: Position = { m: plus(minus(alongM, below), stripM), n: stripN };
  const lowerEnd = plus(inside, times(below, times(squaresN, side)));
  const [sideM, sideN] = divided(minus(number, lowerEnd), atLeastOne(beside));
  const right: Position = { m: sideM, n: plus(minus(alongN, beside), sideN) };
  const outer = below === 0 ? right : beside === 0 ? lower : either(isLess(number, lowerEnd), lower, right);
  return below === 0 && beside === 0 ? middle : either(isLess(number, inside), middle, outer);
}

/** A divisor that is no 0 while tracing; of the GPU's numbers, one that divides by 0 is not chosen. */
const atLeastOne = (x: Natural): Natural => (x === 0 ? 1 : x);

function inRowsOfSquares(number: Natural, squaresM: Natural, side: number): Position {
  const [square, inside] = divided(number, side * side);
  const [row, column] = divided(square, atLeastOne(squaresM));
  const { m, n } = onCurve(inside, side);
  const [, odd] = divided(row, 2);
  const there = plus(times(column, side), m);
  const back = minus(minus(times(squaresM, side), 1), there);
  return { m: chosen(isSame(odd, 0), there, back), n: plus(times(row, side), n) };
}

/** Hilbert's curve from (0, 0) to (side - 1, 0). Each level quarters the square: two bits of the number, the lowest first. */
function onCurve(number: Natural, side: number): Position {
  let [m, n, rest]: [Natural, Natural, Natural] = [0, 0, number];
  for (let half = 1; half < side; half *= 2) {
    const [upper, low] = divided(rest, 2);
    const [next, far] = divided(upper, 2);
    const [, across] = divided(plus(low, far), 2);
    const [transposed, mirrors] = [isSame(across, 0), isSame(far, 1)];
    const mirrored = (x: Natural): Natural => chosen(mirrors, minus(half - 1, x), x);
    [m, n] = [chosen(transposed, mirrored(n), m), chosen(transposed, mirrored(m), n)];
    m = plus(m, times(far, half));
    n = plus(n, times(across, half));
    rest = next;
  }
  return { m, n };
}
