import type { CaseRecord } from "./run-case.ts";
import { geometricMean } from "./stats.ts";

type Row = readonly string[];

/** Columns as wide as their widest entry: numbers to the right, names and what has no heading to the left. */
export function table(head: Row, rows: readonly Row[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, i) => Math.max(...all.map((row) => (row[i] ?? "").length)));
  const line = (row: Row): string =>
    row
      .map((cell, i) => (i === 0 || head[i] === "" ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
      .join("  ")
      .trimEnd();
  return all.map(line).join("\n");
}

/** How many times as fast as a peer: its time by ours. Undefined where one of them did not run. */
export const ratio = (peer: number | undefined, own: number | null | undefined): number | undefined =>
  peer === undefined || own === undefined || own === null ? undefined : peer / own;

/** Against the best of cublasLt's heuristics: of what it is timed with, or the plain product where that is all it can do. */
const baseline = ({ peers }: CaseRecord): number | undefined => peers.cublasLt ?? peers["cublasLt product"];

export const ratiosOf = (record: CaseRecord) => ({
  flushed: ratio(baseline(record), record.us),
  cublas: ratio(record.peers.cublas, record.us),
  warm: ratio(record.warm.cublasLt, record.warm.warpsmith),
  sustained: ratio(record.sustained.cublasLt?.us, record.sustained.warpsmith?.us),
});

const number = (x: number | null | undefined, digits: number): string =>
  x === undefined || x === null ? "–" : x.toFixed(digits);

const verdict = ({ correct, checks, skipped }: CaseRecord): string => {
  const wrong = Object.entries(checks).flatMap(([name, { pass }]) => (pass ? [] : [`${name} is wrong`]));
  const absent = Object.entries(skipped).map(([name, why]) => `no ${name}: ${why}`);
  return [correct === null ? "" : correct ? "correct" : "WRONG", ...wrong, ...absent].filter((word) => word !== "").join("; ");
};

const head = ["case", "µs", "TFLOP/s", "× Lt", "× cuBLAS", "warm × Lt", "sust × Lt", "MHz", "W", "p10–p90 %", ""] as const;

function rowOf(record: CaseRecord): Row {
  const { flushed, cublas, warm, sustained } = ratiosOf(record);
  const spread = record.spread.warpsmith;
  const wide = spread && record.us !== null ? ((spread[1] - spread[0]) / record.us) * 100 : undefined;
  return [
    ...[record.case, number(record.us, 2), number(record.tflops, 0), number(flushed, 3), number(cublas, 3), number(warm, 3)],
    ...[number(sustained, 3), number(record.clockMHz, 0), number(record.watts, 0), number(wide, 1), verdict(record)],
  ];
}

/** What a fused epilogue costs over the plain product, and what it gains over PyTorch. */
export function fusedLine(record: CaseRecord): readonly string[] {
  const compiled = Object.entries(record.peers).flatMap(([name, us]) => (name.startsWith("torch.compile") ? [us] : []));
  const cost = ratio(record.us ?? undefined, record.peers["warpsmith product"]),
    gain = compiled.length > 0 ? ratio(Math.min(...compiled), record.us) : undefined;
  if (cost === undefined) return [];
  const torch = gain === undefined ? "" : `, ${gain.toFixed(3)} × torch.compile`;
  return [`${record.case}: the plain product + ${((cost - 1) * 100).toFixed(1)} %${torch}`];
}

export const summarize = (records: readonly CaseRecord[]): string => {
  const products = records.filter(({ work }) => work === "product");
  const means = [...new Set(products.map(({ dtype, layout, group }) => `${dtype} ${layout} ${group}`))].flatMap((name) => {
    const ratios = products
      .filter(({ dtype, layout, group }) => `${dtype} ${layout} ${group}` === name)
      .flatMap((record) => ratiosOf(record).flushed ?? []);
    return ratios.length > 0
      ? [`${name}: geometric mean ${geometricMean(ratios).toFixed(3)} × cublasLt, least ${Math.min(...ratios).toFixed(3)}`]
      : [];
  });
  return [table(head, records.map(rowOf)), ...means, ...records.flatMap(fusedLine)].join("\n");
};

/** One contender a line. */
export function details(record: CaseRecord): string {
  const names = [...new Set([...Object.keys(record.checks), ...Object.keys(record.peers)])];
  const us = (name: string) => (name === "warpsmith" ? record.us : record.peers[name]);
  const rows = names.map((name) => {
    const long = record.sustained[name];
    const check = record.checks[name];
    return [
      ...[`  ${name}`, number(us(name), 2), number(ratio(baseline(record), us(name)), 3), number(record.warm[name], 2)],
      ...[number(long?.us, 2), number(long?.clockMHz, 0), number(long?.watts, 0), number(long?.celsius, 0)],
      ...[
        check ? check.relative.toExponential(1) : "–",
        [record.notes[name], ...(long?.limits ?? [])].filter(Boolean).join(", "),
      ],
    ];
  });
  return table([record.case, "µs", "× Lt", "warm", "sustained", "MHz", "W", "°C", "error", ""], rows);
}
