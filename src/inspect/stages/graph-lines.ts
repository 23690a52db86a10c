import { type Spans, sameSpan } from "../../base/diag/index.ts";
import { type Graph, printGraph } from "../../ir/index.ts";

/** A line of a graph's text, and where what begins on it was written: nowhere for those that only close a region. */
export interface GraphLine {
  readonly text: string;
  readonly spans: Spans;
}

/** What no printed graph holds: texts in it are JSON. */
const mark = "\t";

/** The lines of a graph as text, each with its places. */
export function graphLines(graph: Graph): readonly GraphLine[] {
  const places: Spans[] = [];
  const note = (spans: Spans): string => `${mark}${places.push(spans) - 1}`;
  const lines = printGraph(graph, { note }).trimEnd().split("\n");
  return lines.map((line) => {
    const [text = "", place] = line.split(mark);
    return { text, spans: place === undefined ? [] : authorsPlaces(places[Number(place)] ?? []) };
  });
}

/** The innermost place and the calls on the way in, each once. The kernel's own place, which all of its lines share, is left out. */
function authorsPlaces(spans: Spans): Spans {
  const calls = spans.length > 1 ? spans.filter((span) => span.note !== "in the kernel at") : spans;
  return calls.filter((span, i) => i === 0 || !sameSpan(span, calls[i - 1] ?? span));
}

/** `a.ts:3:5 < 9:1`: the file where it changes. */
const printPlaces = (spans: Spans): string =>
  spans.map(({ file, line, column }, i) => `${file === spans[i - 1]?.file ? "" : `${file}:`}${line}:${column}`).join(" < ");

/** Where the author's places begin, unless the line is longer. */
const placesAt = 72;

/** A line with its places as a comment, which `parseGraph` skips. */
export function printLine({ text, spans }: GraphLine): string {
  return spans.length === 0 ? text : `${text.padEnd(placesAt)} ; ${printPlaces(spans)}`;
}

/** A graph as text, each line with the author's places behind it. */
export const printGraphWithPlaces = (graph: Graph): string => `${graphLines(graph).map(printLine).join("\n")}\n`;
