/** A report as text, in lines of at most 100 columns. */
import type { Span } from "../../base/diag/index.ts";
import type { Dim3 } from "../../base/types.ts";
import { limiters } from "./occupancy.ts";
import type { AssembledFacts, KernelReport, Roofline, TensorTraffic, Traffic, Work } from "./types.ts";

const width = 100;
const indent = 12;

const grouped = (n: number): string => `${Math.round(n)}`.replace(/\B(?=(\d{3})+$)/g, ",");
const plural = (n: number, what: string): string => `${grouped(n)} ${what}${n === 1 ? "" : "s"}`;
const dims = ([x, y, z]: Dim3): string => (z > 1 ? `${x} x ${y} x ${z}` : y > 1 ? `${x} x ${y}` : `${x}`);
const volume = ([x, y, z]: Dim3): number => x * y * z;
const placeText = ({ file, line }: Pick<Span, "file" | "line">): string => `${file}:${line}`;

const prefixes = ["", "k", "M", "G", "T", "P"];

/** Three digits and a prefix: `2.10 MB`. */
export function scaled(amount: number, unit: string): string {
  if (!Number.isFinite(amount)) return `${amount} ${unit}`;
  const steps = amount < 1000 ? 0 : Math.min(prefixes.length - 1, Math.floor(Math.log10(amount) / 3));
  const value = amount / 1000 ** steps;
  const digits = steps === 0 && Number.isInteger(amount) ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.max(1, value))));
  return `${value.toFixed(digits)} ${prefixes[steps]}${unit}`;
}

const bytes = (n: number): string => scaled(n, "B");
const digits = (n: number): string => (n >= 100 ? grouped(n) : `${Number(n.toPrecision(3))}`);
export const microseconds = (us: number): string => `${us === 0 ? "0" : us >= 1000 ? grouped(us) : us.toPrecision(3)} µs`;
export const percent = (share: number): string => `${Number((100 * share).toFixed(1))} %`;

/** Between words of which a line must not break. */
const glue = "\u00a0";

/** Words in lines of the width, all but the first indented. */
function wrapped(text: string, from: number): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const next = line === "" ? word : `${line} ${word}`;
    if (next.length <= width - from) line = next;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line].join(`\n${" ".repeat(from)}`).replaceAll(glue, " ");
}

/** A heading, and what stands beside it, in as many lines as that takes. */
const section = (heading: string, ...texts: readonly string[]): string =>
  `${heading.padEnd(indent)}${texts.map((text) => wrapped(text, indent)).join(`\n${" ".repeat(indent)}`)}`;

function registersText({ assembled, registerChanges }: KernelReport): string {
  const counts = new Map<string, number[]>();
  for (const { count, span } of registerChanges) {
    const place = span ? ` at ${placeText(span)}` : "";
    counts.set(place, [...(counts.get(place) ?? []), count]);
  }
  const changes = [...counts].map(([place, list]) => `${list.join(" and ")}${place}`);
  const later = changes.length > 0 ? `; setmaxnreg ${changes.join(", ")}` : "";
  if (!assembled) return `unknown without ptxas or a device${later}`;
  return `${assembled.registers} for each thread (${assembled.by})${later}`;
}

function spillsText({ by, localBytes, spillStoreBytes, spillLoadBytes, spillLines }: AssembledFacts): readonly string[] {
  if (localBytes === 0) return ["none"];
  const size = `${localBytes} B of local memory for each thread`;
  if (spillStoreBytes === undefined || spillLoadBytes === undefined) return [`${size} (${by}): spills and arrays`];
  const lines = spillLines
    .slice(0, 5)
    .map(({ span, storeBytes, loadBytes }) => `${placeText(span)}: stores ${storeBytes} B, loads ${loadBytes} B`);
  const more = spillLines.length - lines.length;
  const spilled = `stores of ${spillStoreBytes} B and loads of ${spillLoadBytes} B spill registers`;
  return [`${size}; ${spilled}`, ...lines, ...(more > 0 ? [`and ${plural(more, "line")} more`] : [])];
}

function occupancyText({ occupancy, threads, block }: KernelReport): readonly string[] {
  const { blocks, exact, warps, share, limitedBy, limits } = occupancy;
  const room = limiters.flatMap((limiter) =>
    limits[limiter] === undefined ? [] : [`${limiter.replace(" ", glue)}${glue}${limits[limiter]}`],
  );
  const most = exact ? "" : "at most ";
  const which = `of ${plural(threads, "thread")}${volume(block) === block[0] ? "" : ` (${dims(block)})`}`;
  return [
    `${most}${plural(blocks, "block")} ${which} on a multiprocessor: ${warps} of ${Math.round(warps / (share || 1)) || 64} warps, ${percent(share)}`,
    `${exact ? `limited by ${limitedBy.join(", ")}` : "registers are not known"}; room for blocks: ${room.join(", ")}`,
  ];
}

const traffic = ({ threads, tma }: Traffic): string => {
  if (threads + tma === 0) return "nothing";
  const by = threads === 0 ? " by TMA" : tma === 0 ? " by threads" : `, ${bytes(tma)} of it by TMA`;
  return `${bytes(threads + tma)}${by}`;
};

const most = 12;

function tensorLine({ name, bytes: size, read, written }: TensorTraffic): string {
  const has = size === undefined ? "" : ` of ${bytes(size)}`;
  const parts = [
    ...(read.threads + read.tma > 0 ? [`read ${traffic(read)}`] : []),
    ...(written.threads + written.tma > 0 ? [`written ${traffic(written)}`] : []),
  ];
  const again = size ? (read.threads + read.tma) / size : 0;
  const times = again >= 1.5 ? ` (${digits(again)} times)` : "";
  return `${name === "?" ? "elsewhere" : name}${has}: ${parts.join(", ")}${times}`;
}

function memoryText({ read, written, tensors, leastBytes }: Work): readonly string[] {
  if (tensors.length === 0) return ["reads and writes no global memory"];
  const lines = tensors.slice(0, most).map(tensorLine);
  const more = tensors.length - lines.length;
  return [
    `reads ${traffic(read)}; writes ${traffic(written)}`,
    ...lines,
    ...(more > 0 ? [`and ${plural(more, "tensor")} more`] : []),
    `at least ${bytes(leastBytes)} between memory and L2, where caches keep all that comes again`,
  ];
}

function operationsText({ tensorOperations, operations, wgmma, mma, intensity }: Work): readonly string[] {
  const list = (counts: Readonly<Record<string, number>>, where: string): readonly string[] =>
    Object.entries(counts).map(([type, n]) => `${scaled(n, "op")} of ${type}${where}`);
  const all = [...list(tensorOperations, " on tensor cores"), ...list(operations, "")];
  const instructions = [...(wgmma > 0 ? [`${grouped(wgmma)} wgmma`] : []), ...(mma > 0 ? [`${grouped(mma)} mma`] : [])];
  if (all.length === 0) return ["none of floating point, or of tensor cores"];
  const per = Number.isFinite(intensity) ? [`${digits(intensity)} for each of the least bytes`] : [];
  return [`${all.join(", ")}${instructions.length > 0 ? ` (${instructions.join(", ")})` : ""}`, ...per];
}

function barriersText({ barriers }: Work): string | undefined {
  const { block, cluster, grid, arrivals, waits } = barriers;
  const of = (n: number, what: string): readonly string[] => (n > 0 ? [`${what} ${grouped(n)}`] : []);
  const parts = [
    ...of(block, "of the block"),
    ...of(cluster, "of the cluster"),
    ...of(grid, "of the grid"),
    ...of(arrivals, "arrivals at mbarriers"),
    ...of(waits, "waits for mbarriers"),
  ];
  return parts.length > 0 ? `threads that come to them: ${parts.join(", ")}` : undefined;
}

function roofText(roofline: Roofline): readonly string[] {
  const { gpu, source, memoryUs, tensorUs, arithmeticUs, leastUs, boundBy, ridge, multiprocessors, reached } = roofline;
  const { used, all } = multiprocessors;
  const fewer = used < all ? [`blocks for only ${used} of ${all} multiprocessors: the roof is that of all of them`] : [];
  return [
    `${gpu} by its datasheet (${source}): at least ${microseconds(leastUs)}, bound by ${boundBy}`,
    `memory ${microseconds(memoryUs)}, tensor cores ${microseconds(tensorUs)}, arithmetic ${microseconds(arithmeticUs)}; memory binds below ${digits(ridge)} op/B`,
    ...(reached
      ? [`measured on one: ${digits(reached.terabytes)} TB/s and ${digits(reached.tflops)} TFLOP/s (${reached.source})`]
      : []),
    ...fewer,
  ];
}

function measuredText({ measured, gpu }: Roofline): string | undefined {
  if (!measured) return undefined;
  const { us, tensorTflops, tflops, terabytes, share } = measured;
  const rates = [
    ...(tensorTflops > 0 ? [`${digits(tensorTflops)} TFLOP/s of tensor cores`] : []),
    ...(tflops > 0 ? [`${digits(tflops)} TFLOP/s of arithmetic`] : []),
    `${digits(terabytes)} TB/s`,
  ];
  return `${microseconds(us)}: ${rates.join(", ")}; ${percent(share)} of the roof of ${gpu}`;
}

const shownPlaces = 8;

/** What could not be counted, each sentence once with its lines. */
function notesText({ notes }: Work): string | undefined {
  if (notes.length === 0) return undefined;
  const places = new Map<string, string[]>();
  for (const { message, spans } of notes) {
    const [at] = spans;
    places.set(message, [...(places.get(message) ?? []), ...(at ? [placeText(at)] : [])]);
  }
  const line = ([message, all]: [string, readonly string[]]): string => {
    const list = [...new Set(all)];
    const more = list.length > shownPlaces ? `, and ${list.length - shownPlaces} more` : "";
    return `${message} ${list.slice(0, shownPlaces).join(", ")}${more}`.trimEnd();
  };
  return section("not exact", ...[...places].map(line));
}

/** The report as text. */
export function printReport(report: KernelReport): string {
  const { title, place, target, grid, cluster, threads, warps, dynamicSharedBytes, assembled, work, roofline, remarks } = report;
  const clusters = volume(cluster) > 1 ? `, clusters of ${dims(cluster)}` : "";
  const each = `of ${plural(threads, "thread")} (${plural(warps, "warp")})`;
  const blocks = grid ? `${volume(grid) === grid[0] ? "" : `${dims(grid)} = `}${plural(volume(grid), "block")}` : "blocks";
  const still = assembled?.staticSharedBytes ? `, and ${grouped(assembled.staticSharedBytes)} B static` : "";
  const barriers = work && barriersText(work);
  const measured = roofline && measuredText(roofline);
  const lines = [
    wrapped(title, 4),
    `  for ${target}${place ? `, ${placeText(place)}` : ""}`,
    "",
    section("launch", `${blocks} ${each}${clusters}${grid ? "" : "; give a grid to count what they do"}`),
    section("shared", `${grouped(dynamicSharedBytes)} B for each block${still}`),
    section("registers", registersText(report)),
    ...(assembled ? [section("spills", ...spillsText(assembled))] : []),
    section("occupancy", ...occupancyText(report)),
    ...(work ? ["", section("memory", ...memoryText(work)), section("operations", ...operationsText(work))] : []),
    ...(barriers ? [section("barriers", barriers)] : []),
    ...(roofline ? [section("roof", ...roofText(roofline))] : []),
    ...(measured ? [section("measured", measured)] : []),
    ...(((work && notesText(work)) ?? "") ? ["", (work && notesText(work)) ?? ""] : []),
    ...remarks.flatMap((remark) => ["", String(remark)]),
  ];
  return lines.join("\n");
}
