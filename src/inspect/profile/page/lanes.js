// Rows of a timeline and how they are drawn: the page draws them on a canvas, picture.ts as SVG. Knows neither.

/** Kinds of spans in the order in which pages number them. */
export const kinds = ["code", "wait", "mark", "tile", "load", "store", "product", "group", "landing"];

const codeKind = kinds.indexOf("code");
const waitKind = kinds.indexOf("wait");
const landingKind = kinds.indexOf("landing");
const above = [kinds.indexOf("tile"), kinds.indexOf("mark")];

/** Rows of one lane in which spans may overlap: what has no room in so many shares the last one. */
const mostRows = 6;
export const heights = { block: 18, main: 15, other: 7, gap: 5 };

/** Indices of spans, in the order of their beginnings, over rows in which none overlaps. */
function packed(spans, indices) {
  const rows = [];
  const ends = [];
  for (const i of indices) {
    let row = ends.findIndex((end) => end <= spans.begin[i]);
    if (row < 0) row = rows.length < mostRows ? rows.length : mostRows - 1;
    rows[row] ??= [];
    rows[row].push(i);
    ends[row] = Math.max(ends[row] ?? 0, spans.end[i]);
  }
  return rows;
}

/** A row with what finding a span and adding up takes: until which time its spans have come, and how long they had waited by then. */
function rowOf(spans, indices, y, height) {
  const begin = Float64Array.from(indices, (i) => spans.begin[i]);
  const covered = new Float64Array(indices.length + 1);
  const waited = new Float64Array(indices.length + 1);
  const reach = new Float64Array(indices.length);
  indices.forEach((i, nth) => {
    const length = spans.end[i] - spans.begin[i];
    covered[nth + 1] = covered[nth] + length;
    waited[nth + 1] = waited[nth] + (spans.kind[i] === waitKind ? length : 0);
    reach[nth] = Math.max(reach[nth - 1] ?? 0, spans.end[i]);
  });
  return { y, height, indices: Uint32Array.from(indices), begin, reach, covered, waited };
}

/**
 * The rows of a launch, from above: of each block a heading, of each warp tiles and marks, then its lines and waits, then what it has under
 * way. Multiprocessors, then blocks, then warps in their order.
 */
export function layOut({ blocks, lanes, spans }, shown = kinds.map(() => true)) {
  const byLane = lanes.map(() => []);
  for (let i = 0; i < spans.lane.length; i++)
    if (shown[spans.kind[i]] && spans.kind[i] !== landingKind) byLane[spans.lane[i]].push(i);
  const order = blocks
    .map((_, i) => i)
    .sort((a, b) => (blocks[a].multiprocessor ?? 0) - (blocks[b].multiprocessor ?? 0) || a - b);
  const groups = [];
  const rows = [];
  let y = 0;
  for (const block of order) {
    groups.push({ y, block, lanes: [] });
    y += heights.block;
    lanes.forEach((lane, number) => {
      if (lane.kind !== "warp" || lane.block !== block) return;
      const own = byLane[number];
      const top = y;
      const add = (indices, height) => {
        rows.push({ ...rowOf(spans, indices, y, height), lane: number });
        y += height;
      };
      const kindOf = (i) => spans.kind[i];
      for (const kind of above)
        for (const row of packed(
          spans,
          own.filter((i) => kindOf(i) === kind),
        ))
          add(row, heights.other + 4);
      const main = y;
      add(
        own.filter((i) => kindOf(i) === codeKind || kindOf(i) === waitKind),
        heights.main,
      );
      const others = own.filter((i) => kindOf(i) > above[0]);
      for (const row of packed(spans, others)) add(row, heights.other);
      groups.at(-1).lanes.push({ lane: number, y: main, top, bottom: y });
      y += heights.gap;
    });
  }
  return { rows, groups, height: y };
}

/** The first index at which a sorted array is above a value. */
export function firstAbove(sorted, value, from = 0) {
  let [low, high] = [from, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Draws what of a row lies between two times: `rect(x, width, kind, index)` for each span that is a pixel wide or more, and one for all
 * that share a pixel, of the kind that most of their time is; there `index` is undefined. `scale`: pixels of a unit of time.
 */
export function drawRow(row, spans, { from, to, scale }, rect) {
  const { indices, begin, reach, covered, waited } = row;
  let nth = firstAbove(reach, from);
  while (nth < indices.length && begin[nth] < to) {
    const i = indices[nth];
    const length = spans.end[i] - spans.begin[i];
    const x = (spans.begin[i] - from) * scale;
    if (length * scale >= 1) {
      rect(x, length * scale, spans.kind[i], i);
      nth += 1;
      continue;
    }
    // All that begins within this pixel, together.
    const next = firstAbove(begin, from + (Math.floor(x) + 1) / scale, nth);
    const last = indices[next - 1];
    // Only the last of them can go on beyond it.
    const goesOn = last !== undefined && next - 1 > nth && (spans.end[last] - spans.begin[last]) * scale >= 1;
    const end = Math.max(goesOn ? next - 1 : next, nth + 1);
    const isWait = waited[end] - waited[nth] > (covered[end] - covered[nth]) / 2;
    const single = end === nth + 1 ? i : undefined;
    rect(Math.floor(x), 1, isWait ? waitKind : spans.kind[i], single);
    nth = end;
  }
}

/** The span of a row at a time, or within `slack` of it; undefined where there is none. */
export function spanAt({ indices, begin, reach }, spans, time, slack = 0) {
  const nth = firstAbove(reach, time - slack);
  for (let i = nth; i < indices.length && begin[i] <= time + slack; i++)
    if (spans.end[indices[i]] >= time - slack) return indices[i];
  return undefined;
}

/** Round times to be written over a ruler, about `space` pixels apart. */
export function ticksOf({ from, to, scale }, space = 90) {
  const raw = space / scale;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = Math.max([1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw) ?? raw, 1);
  const ticks = [];
  for (let time = Math.ceil(from / step) * step; time <= to; time += step) ticks.push(time);
  return ticks;
}

/** A time as text, with its unit. */
export function timeText(time, unit) {
  if (unit === "ticks") return `${Math.round(time * 10) / 10} ticks`;
  const [divisor, name] = time >= 1e6 ? [1e6, "ms"] : time >= 1e3 ? [1e3, "µs"] : [1, "ns"];
  return `${Math.round((time / divisor) * 1000) / 1000} ${name}`;
}

/** "SM 3 · block (0, 1, 0)". */
export const blockText = ({ index, multiprocessor }) =>
  `${multiprocessor === undefined || multiprocessor === null ? "" : `SM ${multiprocessor} · `}block (${index.join(", ")})`;

export const laneText = ({ warp, role }) => `warp ${warp}${role === "" ? "" : ` · ${role}`}`;
