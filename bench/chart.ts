/** A small chart: series over an axis of names, around the line of equals or from zero up, as lines and dots or as bars. Text of SVG alone; knows nothing of benchmarks. */
export interface Series {
  readonly name: string;
  readonly color: string;
  /** Dotted where it is of less weight. */
  readonly dashed?: boolean;
  /** By name on the axis; gaps are left out. */
  readonly values: Readonly<Record<string, number | undefined>>;
}

export interface Panel {
  readonly title: string;
  readonly names: readonly string[];
  readonly series: readonly Series[];
  /** Whether neighbours on the axis are steps of one quantity, and so joined by lines. */
  readonly joined: boolean;
  /** Whether values begin at 0, instead of lying around 1. */
  readonly fromZero?: boolean;
  /** One of so many names is written below the axis. Default: each. */
  readonly labelEvery?: number;
  /** Values as bars, with their numbers. */
  readonly bars?: boolean;
}

const ink = "#333333",
  faint = "#dddddd";
const panelSize = { width: 460, height: 260 } as const;
const margin = { left: 56, right: 20, top: 34, bottom: 78 } as const;
const heading = 76;

const inXml = (text: string): string => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
const num = (x: number): string => String(Math.round(x * 10) / 10);

interface Label {
  readonly size?: number;
  readonly anchor?: "start" | "middle" | "end";
  readonly weight?: "bold";
  readonly turned?: boolean;
}

function text(x: number, y: number, words: string, { size = 12, anchor = "start", weight, turned = false }: Label = {}): string {
  const more = `${weight ? ` font-weight="${weight}"` : ""}${turned ? ` transform="rotate(-28 ${num(x)} ${num(y)})"` : ""}`;
  return `<text x="${num(x)}" y="${num(y)}" font-size="${size}" text-anchor="${anchor}" fill="${ink}"${more}>${inXml(words)}</text>`;
}

const line = (x1: number, y1: number, x2: number, y2: number, color: string, width = 1): string =>
  `<line x1="${num(x1)}" y1="${num(y1)}" x2="${num(x2)}" y2="${num(y2)}" stroke="${color}" stroke-width="${width}"/>`;

export interface Scale {
  readonly low: number;
  readonly high: number;
  readonly step: number;
}

/** Round bounds around the values and 1, or 0 where values begin there, with four to nine lines between them. */
export function scaleOf(values: readonly number[], fromZero = false): Scale {
  const [least, most] = fromZero ? [0, Math.max(...values, 0.01)] : [Math.min(0.97, ...values), Math.max(1.03, ...values)];
  const steps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500];
  const step = steps.find((size) => (most - least) / size <= 8) ?? (most - least) / 8;
  const snap = (x: number, by: (x: number) => number): number =>
    Math.round(by(x / step + (by === Math.ceil ? -1e-9 : 1e-9)) * step * 1e6) / 1e6;
  return { low: snap(least, Math.floor), high: snap(most, Math.ceil), step };
}

interface Place {
  x(name: string): number;
  y(value: number): number;
}

function placeOf(panel: Panel, { low, high }: Scale, width: number): Place {
  const step = width / panel.names.length;
  return {
    x: (name) => margin.left + step * (panel.names.indexOf(name) + 0.5),
    y: (value) => margin.top + panelSize.height * (1 - (value - low) / (high - low)),
  };
}

/** The most lines of a name that there is room for. */
const mostLines = 5;

/** A name in lines of so many letters, broken at spaces; undefined where it does not fit. */
function wrapped(name: string, letters: number): readonly string[] | undefined {
  const lines: string[] = [];
  for (const word of name.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= letters) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.length <= mostLines && lines.every((line) => line.length <= letters) ? lines : undefined;
}

function axes(panel: Panel, scale: Scale, place: Place, width: number): string {
  const right = margin.left + width;
  const count = Math.round((scale.high - scale.low) / scale.step);
  const ticks = Array.from({ length: count + 1 }, (_, i) => scale.low + i * scale.step);
  const digits = scale.step < 0.1 ? 2 : scale.step < 1 || !panel.fromZero ? 1 : 0;
  const grid = ticks.map((tick) => {
    const [y, equal] = [place.y(tick), Math.abs(tick - (panel.fromZero ? 0 : 1)) < 1e-6];
    return (
      line(margin.left, y, right, y, equal ? ink : faint, equal ? 1.5 : 1) +
      text(margin.left - 8, y + 4, tick.toFixed(digits), { anchor: "end" })
    );
  });
  const every = panel.labelEvery ?? 1;
  const crowded = Math.max(...panel.names.map((name) => name.length)) * 8 > (width / panel.names.length) * every;
  const below = margin.top + panelSize.height + 18;
  const written = panel.names.filter((_, i) => i % every === 0);
  const lines = written.map((name) => wrapped(name, ((width / panel.names.length) * every) / 6.5));
  const wraps = crowded && lines.every((parts) => parts !== undefined);
  const names = written.map((name, i) =>
    wraps
      ? (lines[i] ?? []).map((part, l) => text(place.x(name), below + 14 * l, part, { anchor: "middle", size: 11 })).join("")
      : crowded
        ? text(place.x(name) + 8, below, name, { anchor: "end", size: 11, turned: true })
        : text(place.x(name), below, name, { anchor: "middle" }),
  );
  return [text(margin.left, margin.top - 14, panel.title, { size: 13, weight: "bold" }), ...grid, ...names].join("\n");
}

/** Bars from the axis up, each with its number. */
function drawBars({ color, values }: Series, panel: Panel, place: Place, shift: number, thickness: number): string {
  const bottom = margin.top + panelSize.height;
  const bars = panel.names.flatMap((name) => {
    const value = values[name];
    if (value === undefined) return [];
    const [x, y] = [place.x(name) + shift, place.y(value)];
    const shape = `<rect x="${num(x - thickness / 2)}" y="${num(y)}" width="${num(thickness)}" height="${num(bottom - y)}" fill="${color}"/>`;
    return [shape + text(x, y - 6, value >= 10 ? value.toFixed(0) : value.toFixed(2), { anchor: "middle", size: 11 })];
  });
  return bars.join("\n");
}

function draw(series: Series, panel: Panel, place: Place, shift: number): string {
  const points = panel.names.flatMap((name) => {
    const value = series.values[name];
    return value === undefined ? [] : [[place.x(name) + shift, place.y(value)] as const];
  });
  const radius = points.length > 30 ? 2.5 : 4;
  const dots = points.map(
    ([x, y]) =>
      `<circle cx="${num(x)}" cy="${num(y)}" r="${radius}" fill="${series.dashed ? "#ffffff" : series.color}" stroke="${series.color}" stroke-width="2"/>`,
  );
  const path = points.map(([x, y]) => `${num(x)},${num(y)}`).join(" ");
  const dash = series.dashed ? ' stroke-dasharray="5 4"' : "";
  const curve =
    panel.joined && points.length > 1
      ? [`<polyline points="${path}" fill="none" stroke="${series.color}" stroke-width="2"${dash}/>`]
      : [];
  return [...curve, ...dots].join("\n");
}

function drawPanel(panel: Panel, width: number): string {
  const shown = panel.series.filter(({ values }) => panel.names.some((name) => values[name] !== undefined));
  const scale = scaleOf(
    shown.flatMap(({ values }) => panel.names.flatMap((name) => values[name] ?? [])),
    panel.fromZero,
  );
  const place = placeOf(panel, scale, width);
  if (panel.bars) {
    // Series that share no name have the whole width of it each.
    const beside = Math.max(...panel.names.map((name) => shown.filter(({ values }) => values[name] !== undefined).length), 1);
    const thickness = (0.7 * width) / panel.names.length / beside;
    const shift = (i: number): number => (beside === 1 ? 0 : (i - (shown.length - 1) / 2) * thickness);
    const bars = shown.map((series, i) => drawBars(series, panel, place, shift(i), thickness));
    return [axes(panel, scale, place, width), ...bars].join("\n");
  }
  const shift = (i: number): number => (panel.joined ? 0 : (i - (shown.length - 1) / 2) * 9);
  return [axes(panel, scale, place, width), ...shown.map((series, i) => draw(series, panel, place, shift(i)))].join("\n");
}

function legend(panels: readonly Panel[], y: number): string {
  const named = new Map(panels.flatMap(({ series }) => series.map((one) => [one.name, one] as const)));
  let x = margin.left;
  return [...named.values()]
    .map(({ name, color, dashed }) => {
      const at = x;
      x += 40 + name.length * 7.5;
      return `<circle cx="${at + 5}" cy="${y - 4}" r="4" fill="${dashed ? "#ffffff" : color}" stroke="${color}" stroke-width="2"/>${text(at + 16, y, name)}`;
    })
    .join("\n");
}

/** Panels in rows, a row as wide as two panels; one that is alone in its row fills it. */
export function chart(title: string, subtitle: string, panels: readonly (readonly Panel[])[]): string {
  const cell = { width: margin.left + panelSize.width + margin.right, height: margin.top + panelSize.height + margin.bottom };
  const [width, height] = [2 * cell.width, heading + panels.length * cell.height];
  const body = panels.flatMap((row, r) =>
    row.map((panel, c) => {
      const inner = row.length === 1 ? width - margin.left - margin.right : panelSize.width;
      return `<g transform="translate(${c * cell.width} ${heading + r * cell.height})">\n${drawPanel(panel, inner)}\n</g>`;
    }),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="DejaVu Sans, Helvetica, Arial, sans-serif">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    text(margin.left, 28, title, { size: 17, weight: "bold" }),
    text(margin.left, 47, subtitle),
    legend(panels.flat(), 70),
    ...body,
    "</svg>",
    "",
  ].join("\n");
}
