/** Which statement of a loop runs when, for which iteration, as a drawing. */
import { checkOptions, optionsOf, refuseMore } from "../../base/diag/index.ts";
import { num, rect, text } from "../../base/svg.ts";
import type { Program } from "../ir/types.ts";
import { sized } from "./laid-out.ts";
import { colourOf, drawing, type Key, legend, paragraph, widthOf } from "./svg.ts";
import { type Entry, type Phase, type Times, timesOf } from "./times.ts";

/** What `drawTimeline` takes. */
export interface TimelinePictureOptions {
  /** The sizes that only a launch knows, by name. */
  readonly sizes?: Readonly<Record<string, number>>;
}

const known = optionsOf<TimelinePictureOptions>("drawTimeline()", { sizes: true });

/** Pixels of a time and of a statement; times that are drawn of a long loop, at its beginning and its end. */
const [timeWidth, rowHeight, rowGap, atBeginning, atEnd] = [66, 18, 6, 9, 4];

/** The times that are drawn, and where: the others are left out as one gap. */
function columnsOf(times: number): ReadonlyMap<number, number> {
  const all = Array.from({ length: times }, (_, t) => t);
  const shown = times <= atBeginning + atEnd + 1 ? all : [...all.slice(0, atBeginning), ...all.slice(-atEnd)];
  return new Map(shown.map((t, i) => [t, i + (times > shown.length && i >= atBeginning ? 0.6 : 0)]));
}

const phaseWords = (phase: Phase, count: number): string => (phase === "loop" ? `the loop, ${count}×` : phase);

/** Which phase each time is of. */
function phasesOf(
  entries: readonly Entry[],
  columns: ReadonlyMap<number, number>,
  at: (t: number) => number,
): readonly (readonly [Phase, number, number, number])[] {
  return (["prologue", "loop", "epilogue"] as const).flatMap((phase) => {
    const all = entries.filter((e) => e.phase === phase).map((e) => e.time);
    const shown = all.filter((t) => columns.has(t));
    if (shown.length === 0) return [];
    return [[phase, at(Math.min(...shown)), at(Math.max(...shown)) + timeWidth, new Set(all).size] as const];
  });
}

/**
 * A drawing of a loop as SVG: a row for each iteration, a column for each time. Statements that stand in one column run at the same time, in the order of the
 * loop's body; those of a loop that `pipeline` has rewritten are of several iterations. `[1]`: the version of the buffers that a statement fills or
 * uses. W2601, W5520, W5545.
 */
export function drawTimeline(program: Program, loop: string, options: TimelinePictureOptions = {}): string {
  refuseMore(drawTimeline, arguments);
  checkOptions(options, known);
  return drawn(timesOf(sized(program, options.sizes ?? {}, `'${loop}'`).program, loop), loop);
}

function drawn({ statements, entries, times }: Times, loop: string): string {
  const columns = columnsOf(times);
  const shown = entries.filter((e) => columns.has(e.time));
  const iterations = [...new Set(shown.map((e) => e.iteration))].toSorted((a, b) => a - b);
  const lanes = statements.length;
  const left = 24 + widthOf(`iteration ${iterations.at(-1) ?? 0}`);
  const at = (t: number): number => left + (columns.get(t) ?? 0) * timeWidth;
  const inner = (Math.max(0, ...columns.values()) + 1) * timeWidth;
  const width = Math.max(480, left + inner + 16);
  const title = `What runs when in the loop ${loop}`;
  const inFlight = entries.some((e) => e.async);
  const about = [
    "a row for each iteration; at each time the statements run in the order of the legend",
    ...(inFlight ? ["lines: an asynchronous copy is on its way"] : []),
    ...(entries.some((e) => e.version !== undefined) ? ["[1]: which version of the buffer"] : []),
  ].join("; ");
  const out = [text(12, 22, title, "b", 14)];
  const words = paragraph(about, { x: 12, y: 22 }, width - 24, "dim");
  out.push(words.svg);
  const keys = statements.map((words, i): Key => ({ classes: `c${colourOf(i)}`, words }));
  const legends = legend(keys, 12, words.end + 10, width - 24);
  out.push(legends.svg);
  let y = words.end + 16 + legends.height;
  const count = (phase: Phase): number => new Set(entries.filter((e) => e.phase === phase).map((e) => e.time)).size;
  for (const [phase, from, to] of phasesOf(shown, columns, at)) {
    out.push(
      rect(from + 1, y, to - from - 2, 20, "none"),
      text((from + to) / 2, y + 14, phaseWords(phase, count(phase)), "m b", 11),
    );
  }
  y += 36;
  for (const t of columns.keys()) out.push(text(at(t) + timeWidth / 2, y, `time ${t}`, "dim m", 10));
  y += 6;
  const top = y;
  const height = lanes * rowHeight + rowGap;
  const rowOf = new Map<number, number>();
  iterations.forEach((iteration, i) => {
    const skipped = i > 0 && iteration !== (iterations[i - 1] ?? 0) + 1;
    if (skipped) {
      out.push(text(left - 10, y + 10, "⋮", "dim e"));
      y += 12;
    }
    rowOf.set(iteration, y);
    out.push(text(left - 8, y + (lanes * rowHeight) / 2 + 5, `iteration ${iteration}`, "e", 11));
    y += height;
  });
  for (const entry of shown)
    for (const part of box(entry, (rowOf.get(entry.iteration) ?? top) + entry.statement * rowHeight, at, columns)) out.push(part);
  for (const t of [...columns.keys()].slice(1))
    out.push(`<path d="M${num(at(t))} ${num(top)}V${num(y)}" class="thin out" stroke-dasharray="2 4"/>`);
  return drawing(width, y + 10, `${title}: ${statements.join(", ")}`, out);
}

function box(entry: Entry, y: number, at: (t: number) => number, columns: ReadonlyMap<number, number>): readonly string[] {
  const { time, statement, version, arrives } = entry;
  const colour = `c${colourOf(statement)}`;
  const x = at(time) + 2;
  const end = arrives === undefined ? undefined : columns.has(arrives) ? at(arrives) : undefined;
  const width = timeWidth - 4;
  const out: string[] = [];
  if (end !== undefined && end > x + width)
    out.push(rect(x + width, y + rowHeight / 2 - 3, end - x - width, 6, colour, ' opacity="0.75"'));
  out.push(rect(x, y + 1, width, rowHeight - 2, colour, ' stroke="#222" stroke-width="0.5" rx="2"'));
  if (version !== undefined) out.push(`<g class="cells">${text(x + width / 2, y + 13, `[${version}]`, "", 11)}</g>`);
  return out;
}
