/** A table of numbers, such as who touches which element, and what is drawn of it: rectangles and edges, as few as it takes. */
import { num } from "../../base/svg.ts";

export interface Box {
  readonly row: number;
  readonly column: number;
  readonly rows: number;
  readonly columns: number;
}

/** Sets of numbers, each with a number of its own; 0 is the empty one. */
export class Sets {
  readonly #members: (readonly number[])[] = [[]];
  readonly #known = new Map<string, number>([["", 0]]);
  readonly #next = new Map<number, number>();

  /** The set with one more member. */
  with(set: number, member: number): number {
    const key = set * 2 ** 24 + (member + 2 ** 12);
    const known = this.#next.get(key);
    if (known !== undefined) return known;
    const members = this.members(set);
    const more = members.includes(member) ? members : [...members, member].toSorted((a, b) => a - b);
    const text = more.join();
    const made = this.#known.get(text) ?? this.#members.push(more) - 1;
    this.#known.set(text, made);
    this.#next.set(key, made);
    return made;
  }
  members(set: number): readonly number[] {
    return this.#members[set] ?? [];
  }
  /** The numbers of all sets but the empty one that stand in the table. */
  static of(table: Table): readonly number[] {
    return [...new Set(table.cells)].filter((x) => x !== 0).toSorted((a, b) => a - b);
  }
}

/** Rows of numbers; 0 is nothing. */
export class Table {
  readonly rows: number;
  readonly columns: number;
  readonly cells: Int32Array;
  constructor(rows: number, columns: number) {
    this.rows = rows;
    this.columns = columns;
    this.cells = new Int32Array(rows * columns);
  }
  at(row: number, column: number): number {
    return this.cells[row * this.columns + column] ?? 0;
  }
}

/** The part of a table in which nothing is 0 outside; undefined of an empty one. */
export function touchedBox(tables: readonly Table[]): Box | undefined {
  let [top, left, bottom, right] = [Infinity, Infinity, -1, -1];
  for (const table of tables)
    for (let row = 0; row < table.rows; row++)
      for (let column = 0; column < table.columns; column++) {
        if (table.at(row, column) === 0) continue;
        [top, left, bottom, right] = [Math.min(top, row), Math.min(left, column), Math.max(bottom, row), Math.max(right, column)];
      }
  return bottom < 0 ? undefined : { row: top, column: left, rows: bottom - top + 1, columns: right - left + 1 };
}

/** Rectangles of one number each: runs of a row, and equal runs below each other as one. */
export function boxesOf(table: Table, within: Box): ReadonlyMap<number, readonly Box[]> {
  const found = new Map<number, Box[]>();
  let open = new Map<string, { value: number; box: Box }>();
  const close = ({ value, box }: { value: number; box: Box }): void => {
    found.set(value, [...(found.get(value) ?? []), box]);
  };
  for (let row = within.row; row < within.row + within.rows; row++) {
    const here = new Map<string, { value: number; box: Box }>();
    for (let column = within.column; column < within.column + within.columns; ) {
      const value = table.at(row, column);
      const begin = column;
      while (column < within.column + within.columns && table.at(row, column) === value) column++;
      const key = `${value}:${begin}:${column}`;
      const above = open.get(key);
      open.delete(key);
      const box = above ? { ...above.box, rows: above.box.rows + 1 } : { row, column: begin, rows: 1, columns: column - begin };
      here.set(key, { value, box });
    }
    for (const done of open.values()) close(done);
    open = here;
  }
  for (const done of open.values()) close(done);
  return found;
}

/** Where elements lie in a drawing. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly cell: number;
  readonly within: Box;
}

const xOf = ({ x, cell, within }: Place, column: number): number => x + (column - within.column) * cell;
const yOf = ({ y, cell, within }: Place, row: number): number => y + (row - within.row) * cell;

/** Rectangles as one path. */
export const fills = (boxes: readonly Box[], place: Place): string =>
  boxes
    .map(
      (b) =>
        `M${num(xOf(place, b.column))} ${num(yOf(place, b.row))}h${num(b.columns * place.cell)}v${num(b.rows * place.cell)}h${num(-b.columns * place.cell)}z`,
    )
    .join("");

/** The lines between neighbours that differ in one of the tables, as one path. */
export function edges(tables: readonly Table[], place: Place): string {
  const { within, cell } = place;
  const [bottom, right] = [within.row + within.rows, within.column + within.columns];
  const differ = (r0: number, c0: number, r1: number, c1: number): boolean => tables.some((t) => t.at(r0, c0) !== t.at(r1, c1));
  const lines: string[] = [];
  const runs = (count: number, edge: (i: number) => boolean, draw: (from: number, length: number) => string): void => {
    for (let i = 0; i < count; i++) {
      if (!edge(i)) continue;
      const from = i;
      while (i < count && edge(i)) i++;
      lines.push(draw(from, i - from));
    }
  };
  for (let row = within.row + 1; row < bottom; row++)
    runs(
      within.columns,
      (i) => differ(row - 1, within.column + i, row, within.column + i),
      (from, length) => `M${num(xOf(place, within.column + from))} ${num(yOf(place, row))}h${num(length * cell)}`,
    );
  for (let column = within.column + 1; column < right; column++)
    runs(
      within.rows,
      (i) => differ(within.row + i, column - 1, within.row + i, column),
      (from, length) => `M${num(xOf(place, column))} ${num(yOf(place, within.row + from))}v${num(length * cell)}`,
    );
  return lines.join("");
}

/** The middle of a rectangle, and how large it is drawn. */
export const spotOf = (b: Box, place: Place) => ({
  x: xOf(place, b.column) + (b.columns * place.cell) / 2,
  y: yOf(place, b.row) + (b.rows * place.cell) / 2,
  width: b.columns * place.cell,
  height: b.rows * place.cell,
});
