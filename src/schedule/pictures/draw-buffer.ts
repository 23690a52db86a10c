/** Who touches which element of a buffer, as a drawing. */
import { checkOptions, optionsOf, refuseMore } from "../../base/diag/index.ts";
import { digitsOf } from "../../base/digits.ts";
import { num, text } from "../../base/svg.ts";
import type { Buffer, For, Program } from "../ir/types.ts";
import { type Box, boxesOf, edges, fills, type Place, Sets, spotOf, Table, touchedBox } from "./cells.ts";
import { bufferOf, type LaidOut, laidOut, refuse, shapeOf } from "./laid-out.ts";
import { asksFor, type Level, levelOf, type PictureLevel } from "./levels.ts";
import { colourOf, drawing, type Key, legend, paragraph, path, widthOf } from "./svg.ts";
import { accessesTo, eachTouch } from "./touches.ts";

/** What `drawBuffer` takes. */
export interface BufferPictureOptions {
  /** Whether those are shown that read an element, or that write it. Default: `"write"` where the program writes the buffer. */
  readonly access?: "read" | "write";
  /** What has a colour of its own. Default: `"block"` where the launch has several; of shared memory and registers, which each block has for itself, `"warp"` or `"thread"`. */
  readonly colour?: PictureLevel;
  /** What has a thick border around it. Default: `"warp"` where blocks have several of them and have the colours. */
  readonly border?: PictureLevel;
  /** What is written on the elements. Default: what has the borders, of shared memory and registers the thread, else what has the colours. */
  readonly label?: PictureLevel;
  /** Shows no other accesses than those of that block, warp or thread, or of that iteration of a loop, and the part of the buffer that they touch. Of shared memory and registers block 0, if it says no other. */
  readonly only?: Readonly<Record<string, number>>;
  /** The sizes that only a launch knows, by name. */
  readonly sizes?: Readonly<Record<string, number>>;
}

const known = optionsOf<BufferPictureOptions>("drawBuffer()", {
  access: true,
  colour: true,
  border: true,
  label: true,
  only: true,
  sizes: true,
});

/** Pixels of a plane, and of an element at most. */
const [planeWidth, planeHeight, largestCell] = [512, 640, 26];
/** Planes and labels that are drawn; the others are told by their number. */
const [mostPlanes, mostLabels, mostKeys] = [4, 700, 12];

/** For each level and plane of the buffer, a set of whom at each element. */
interface Seen {
  readonly level: Level;
  readonly sets: Sets;
  readonly planes: readonly Table[];
}

interface Levels {
  readonly colour: PictureLevel;
  readonly border?: PictureLevel;
  readonly label?: PictureLevel;
}
/** Shared memory and registers are of one block, so blocks are not told apart there. */
function defaultLevels({ launch }: LaidOut, { scope }: Buffer): Levels {
  const threads = launch.block.reduce((n, x) => n * x, 1);
  if (scope !== "global") return threads > 32 ? { colour: "warp", label: "thread" } : { colour: "thread" };
  const warps: Partial<Levels> = threads > 32 ? { border: "warp", label: "warp" } : {};
  if (launch.grid.some((n) => n > 1)) return { colour: "block", ...warps };
  return { colour: threads > 32 ? "warp" : "thread" };
}

/** Rows and columns of a plane, and how many planes there are. */
function planesOf(shape: readonly number[]): readonly [planes: number, rows: number, columns: number] {
  const columns = shape.at(-1) ?? 1;
  const rows = shape.at(-2) ?? 1;
  return [shape.slice(0, -2).reduce((n, x) => n * x, 1), rows, columns];
}

function mark(
  seen: Seen,
  shape: readonly number[],
  at: { mins: readonly number[]; extents: readonly number[] },
  id: number,
): void {
  const lead = shape.length - 2;
  const [min, extent] = [(d: number): number => at.mins[d] ?? 0, (d: number): number => at.extents[d] ?? 1];
  let planes = [0];
  for (let d = 0; d < lead; d++) {
    const length = shape[d] ?? 1;
    planes = planes.flatMap((p) => Array.from({ length: extent(d) }, (_, i) => p * length + min(d) + i));
  }
  const [row, rows] = lead + 1 > 0 ? [min(lead), extent(lead)] : [0, 1];
  const [column, columns] = [min(lead + 1), extent(lead + 1)];
  for (const p of planes) {
    const table = seen.planes[p];
    if (!table) continue;
    for (let r = row; r < row + rows; r++) {
      const from = r * table.columns + column;
      for (let i = from; i < from + columns; i++) table.cells[i] = seen.sets.with(table.cells[i] ?? 0, id);
    }
  }
}

interface Filters {
  readonly who: readonly (readonly ["block" | "warp" | "thread", number])[];
  readonly loop: (l: For) => number | undefined;
}
function filtersOf(only: Readonly<Record<string, number>>, laid: LaidOut): Filters {
  const own = new Set<string>(["block", "warp", "thread"]);
  for (const name of Object.keys(only)) if (!own.has(name)) levelOf(name, laid);
  const who = (["block", "warp", "thread"] as const).flatMap((name) =>
    only[name] === undefined ? [] : [[name, only[name]] as const],
  );
  return { who, loop: (l) => (own.has(l.variable.name) ? undefined : only[l.variable.name]) };
}

interface Wanted {
  readonly access: "read" | "write";
  readonly levels: readonly Level[];
  readonly filters: Filters;
  readonly most: number | undefined;
}

function look(laid: LaidOut, buffer: Buffer, { access, levels, filters, most }: Wanted): readonly Seen[] {
  const shape = shapeOf(buffer);
  const [count, rows, columns] = planesOf(shape);
  const seen = levels.map(
    (level): Seen => ({ level, sets: new Sets(), planes: Array.from({ length: count }, () => new Table(rows, columns)) }),
  );
  const numbers = {
    block: levelOf("block", laid),
    warp: levelOf("warp", laid),
    thread: { id: (t: { readonly thread: number }) => t.thread },
  };
  const asked = {
    buffer,
    access,
    loops: (l: For) => asksFor(levels, l),
    only: filters.loop,
    inTurn: levels.some((l) => l.name === "iteration"),
    most,
  };
  eachTouch(laid, asked, (touch) => {
    if (filters.who.some(([name, wanted]) => numbers[name].id(touch) !== wanted)) return;
    for (const one of seen) mark(one, shape, touch, one.level.id(touch));
  });
  return seen;
}

/** The members of a set in words: `3`, `0, 1`, `0–7`, `0, 2, 4, …`. */
function words({ level, sets }: Seen, set: number): string {
  const members = sets.members(set);
  const [first = 0] = members;
  const label = (id: number): string => level.label(id);
  if (members.length > 2 && members.every((m, i) => m === first + i)) return `${label(first)}–${label(members.at(-1) ?? first)}`;
  return members.length > 4 ? `${members.slice(0, 3).map(label).join(", ")}, …` : members.map(label).join(", ");
}

function ticks(count: number, from: number, cell: number, room: number): readonly number[] {
  const step = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096].find((n) => n * cell >= room) ?? count;
  return Array.from({ length: Math.ceil(count / step) }, (_, i) => from + i * step);
}

function axes(place: Place, rowHead: number): readonly string[] {
  const { within, cell, x, y } = place;
  const across = ticks(within.columns, within.column, cell, 30).map((c) =>
    text(x + (c - within.column) * cell + Math.min(cell / 2, 8), y - 5, String(c), "dim m", 10),
  );
  const down = ticks(within.rows, within.row, cell, 18).map((r) =>
    text(x - 5, y + (r - within.row) * cell + Math.min(cell / 2 + 4, 10), String(r), "dim e", 10),
  );
  return rowHead > 0 ? [...across, ...down] : across;
}

function labels(seen: Seen, plane: number, colours: Seen, place: Place): string {
  const table = seen.planes[plane];
  const behind = colours.planes[plane];
  if (!table || !behind) return "";
  const found: string[] = [];
  for (const [set, boxes] of boxesOf(table, place.within)) {
    const label = set === 0 ? "" : words(seen, set);
    if (label === "") continue;
    for (const box of boxes) {
      const { x, y, width, height } = spotOf(box, place);
      const size = Math.min(13, height - 1.5, (width - 2) / (0.62 * label.length));
      if (size >= 6 && found.length < mostLabels)
        found.push(`<text x="${num(x)}" y="${num(y + size * 0.36)}" font-size="${num(size)}">${label}</text>`);
    }
  }
  return found.length === 0 ? "" : `<g class="cells">${found.join("")}</g>`;
}

interface Parts {
  readonly colours: Seen;
  readonly border: Seen | undefined;
  readonly label: Seen;
  /** The class of a set's colour. */
  readonly classOf: (set: number) => string;
}

function plane(n: number, { colours, border, label, classOf }: Parts, place: Place, rowHead: number): readonly string[] {
  const table = colours.planes[n];
  if (!table) return [];
  const boxes = boxesOf(table, place.within);
  const of = (seen: Seen | undefined): readonly Table[] => seen?.planes.slice(n, n + 1) ?? [];
  return [
    ...[...boxes].map(([set, own]) => path(fills(own, place), classOf(set))),
    label === colours || label === border ? "" : path(edges([...of(label), table], place), "thin"),
    path(edges([table], place), border ? "edge" : "thin", border ? "" : ' stroke-width="1"'),
    border ? path(edges([...of(border), table], place), "edge", ' stroke-width="2"') : "",
    path(fills([place.within], place), "edge out", ' stroke-width="1.2"'),
    labels(label, n, colours, place),
    ...axes(place, rowHead),
  ];
}

const isWho = (name: string): boolean => ["block", "warp", "thread", "iteration"].includes(name);
const spoken = (name: string): string => (isWho(name) ? name : `iteration of ${name}`);

function keysOf(colours: Seen, sets: readonly number[], classOf: (set: number) => string, hasNone: boolean): readonly Key[] {
  const { name } = colours.level;
  const shown = sets.slice(0, mostKeys).map((set) => {
    const members = words(colours, set);
    const s = colours.sets.members(set).length > 1 ? "s" : "";
    const said = isWho(name) ? (members.startsWith("warp") ? members : `${name}${s} ${members}`) : `${name} = ${members}`;
    return { classes: classOf(set), words: said };
  });
  const more = sets.length > mostKeys ? [{ classes: "bg", words: `… ${sets.length} in all` }] : [];
  return [...shown, ...more, ...(hasNone ? [{ classes: "none", words: "nobody" }] : [])];
}

/**
 * A drawing of a buffer as SVG, in which each element shows who writes it, or reads it: colours, borders and labels for the blocks, warps and threads of
 * the launch, or for iterations of loops. It needs nothing else, and is read on light and dark pages. A buffer of the program's own is drawn as
 * large as the kernel makes it. The last two dimensions are rows and columns; those before them, such as versions, stand beside each other.
 * W2601, W5520, W5545.
 */
export function drawBuffer(program: Program, buffer: string, options: BufferPictureOptions = {}): string {
  refuseMore(drawBuffer, arguments);
  checkOptions(options, known);
  return drawnBuffer(program, buffer, options);
}

/** The same, given up after so many accesses. */
export function drawnBuffer(program: Program, buffer: string, options: BufferPictureOptions, most?: number): string {
  const laid = laidOut(program, buffer, options.sizes ?? {});
  const drawn = bufferOf(laid.program, buffer);
  const access = options.access ?? (accessesTo(laid, drawn, "write").length > 0 ? "write" : "read");
  const usual = options.colour === undefined ? defaultLevels(laid, drawn) : { colour: options.colour };
  const { colour } = usual;
  const [border, label] = [options.border ?? usual.border, options.label ?? usual.label ?? colour];
  const only =
    drawn.scope === "global" || options.only?.block !== undefined ? (options.only ?? {}) : { block: 0, ...options.only };
  const given = [colour, label, ...(border === undefined ? [] : [border])];
  const levels = new Map(given.map((l) => [JSON.stringify(l), levelOf(l, laid)] as const));
  const seen = look(laid, drawn, { access, levels: [...levels.values()], filters: filtersOf(only, laid), most });
  const of = (l: PictureLevel): Seen =>
    seen[[...levels.keys()].indexOf(JSON.stringify(l))] ?? refuse(`'${buffer}'`, "it has no levels");
  const parts = { colours: of(colour), label: of(label), border: border === undefined ? undefined : of(border) };
  const whole: Box = { row: 0, column: 0, rows: planesOf(shapeOf(drawn))[1], columns: planesOf(shapeOf(drawn))[2] };
  const touched = touchedBox(parts.colours.planes);
  if (!touched) refuse(`'${buffer}'`, `nothing ${access === "read" ? "reads" : "writes"} it`);
  const within = options.only && touched ? touched : whole;
  return drawnPlanes(drawn, access, parts, within, only);
}

function drawnPlanes(
  buffer: Buffer,
  access: "read" | "write",
  parts: Omit<Parts, "classOf">,
  within: Box,
  only: Readonly<Record<string, number>>,
): string {
  const { colours, border, label } = parts;
  const inside = colours.planes.flatMap((table, i) =>
    boxesOf(table, within).size > 1 || !boxesOf(table, within).has(0) ? [i] : [],
  );
  const shown = inside.slice(0, mostPlanes);
  const sets = [...new Set(colours.planes.flatMap(Sets.of))].toSorted((a, b) => first(colours, a) - first(colours, b) || a - b);
  const isEach = sets.every((set) => colours.sets.members(set).length === 1);
  const rank = new Map(sets.map((set, i) => [set, isEach ? Math.max(0, first(colours, set)) : i] as const));
  const classOf = (set: number): string => (set === 0 ? "none" : `c${colourOf(rank.get(set) ?? 0)}`);
  const width = Math.max(160, planeWidth / Math.min(2, shown.length));
  const cell = Math.min(largestCell, width / within.columns, planeHeight / Math.max(1, shown.length / 2) / within.rows);
  const [left, gap] = [24 + widthOf(String(within.row + within.rows), 10), 40];
  const wide = within.columns * cell;
  const perRow = wide > planeWidth / 2 ? 1 : Math.max(1, Math.floor((planeWidth + gap) / (wide + gap)));
  const inner = Math.max(430, Math.min(perRow, shown.length) * (wide + gap) - gap);
  const shape = shapeOf(buffer);
  const verb = access === "read" ? "reads" : "writes";
  const limits = Object.entries(only).map(([name, n]) => (isWho(name) ? `${name} ${n}` : `${name} = ${n}`));
  const title = `Who ${verb} ${buffer.name}`;
  const about = `[${shape.join(", ")}] of ${buffer.dtype} in ${buffer.scope}${limits.length > 0 ? `; only ${limits.join(", ")}` : ""}`;
  const told = [
    `colour: ${spoken(colours.level.name)}`,
    ...(border ? [`thick border: ${spoken(border.level.name)}`] : []),
    ...(label.level === colours.level ? [] : [`number: ${spoken(label.level.name)}`]),
  ];
  const out = [text(12, 22, title, "b", 14), text(12, 39, about, "dim")];
  const said = paragraph(told.join(" · "), { x: 12, y: 39 }, inner + left);
  out.push(said.svg);
  const hasNone = shown.some((i) => boxesOf(colours.planes[i] ?? new Table(0, 0), within).has(0));
  const keys = legend(keysOf(colours, sets, classOf, hasNone), 12, said.end + 10, inner + left - 12);
  out.push(keys.svg);
  let y = said.end + 10 + keys.height;
  const head = 22 + (shape.length > 2 ? 16 : 0);
  shown.forEach((n, i) => {
    const place = {
      x: left + (i % perRow) * (wide + gap),
      y: y + head + Math.floor(i / perRow) * (within.rows * cell + head + 8),
      cell,
      within,
    };
    if (shape.length > 2)
      out.push(text(place.x, place.y - 20, `${buffer.name}[${digitsOf(shape.slice(0, -2), n).join(", ")}]`, "b", 11));
    for (const part of plane(n, { ...parts, classOf }, place, left)) out.push(part);
  });
  y += Math.ceil(shown.length / perRow) * (within.rows * cell + head + 8);
  if (inside.length > shown.length) {
    y += 14;
    out.push(text(12, y, `… ${shown.length} of ${inside.length} like these`, "dim"));
  }
  return drawing(left + inner + 14, y + 10, `${title}, ${about}`, out);
}

const first = (seen: Seen, set: number): number => seen.sets.members(set)[0] ?? 0;
