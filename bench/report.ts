import { ourName } from "./contenders.ts";
import { sizeOf } from "./problem.ts";
import type { CaseRecord } from "./run-case.ts";
import { geometricMean, quantile } from "./stats.ts";

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

/** What is not known to be wrong. */
const trusted = ({ checks }: CaseRecord, name: string): boolean => checks[name]?.pass !== false;

/** The name of the best of cublasLt's heuristics: for the same work, or for the plain product where that is all it can do. */
const baseline = ({ peers }: CaseRecord): string => (peers.cublasLt === undefined ? "cublasLt product" : "cublasLt");

/** Of a peer's figure over ours, where both results are right. */
function against(record: CaseRecord, peer: string, of: (name: string) => number | null | undefined): number | undefined {
  const fair = record.correct !== false && trusted(record, ourName) && trusted(record, peer);
  return fair ? ratio(of(peer) ?? undefined, of(ourName)) : undefined;
}

const flushedOf =
  ({ us, peers }: CaseRecord) =>
  (name: string): number | null | undefined =>
    name === ourName ? us : peers[name];

export const ratiosOf = (record: CaseRecord) => ({
  flushed: against(record, baseline(record), flushedOf(record)),
  cublas: against(record, "cublas", flushedOf(record)),
  warm: against(record, baseline(record), (name) => record.warm[name]),
  sustained: against(record, baseline(record), (name) => record.sustained[name]?.us),
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
  const cost = ratio(record.us ?? undefined, record.peers["warpsmith product"]);
  if (cost === undefined || record.correct === false) return [];
  const torch = Object.entries(record.peers)
    .filter(([name]) => name.startsWith("torch.compile"))
    .map(([name, us]) => `, ${ratio(us, record.us)?.toFixed(3)} × ${name}`)
    .join("");
  return [`${record.case}: the plain product + ${((cost - 1) * 100).toFixed(1)} %${torch}`];
}

/** Beside other compilers' PTX for the same work. */
const sampleLines = (record: CaseRecord): readonly string[] =>
  Object.keys(record.peers)
    .filter((name) => name.startsWith("ptx "))
    .flatMap((name) => {
      const gain = against(record, name, flushedOf(record));
      return gain === undefined ? [] : [`${record.case}: ${gain.toFixed(3)} × ${name}`];
    });

/** What another layout than NT costs. */
const layoutLines = (records: readonly CaseRecord[]): readonly string[] =>
  records.flatMap((record) => {
    const nt = records.find(
      (other) =>
        other.layout === "nt" && other.dtype === record.dtype && other.work === record.work && sizeOf(other) === sizeOf(record),
    );
    const fair = nt !== record && nt?.correct !== false && record.correct !== false;
    const gain = fair ? ratio(nt?.us ?? undefined, record.us) : undefined;
    return gain === undefined ? [] : [`${record.case}: ${gain.toFixed(3)} × its NT`];
  });

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
  const anywhere = products.filter(({ group }) => group === "random").flatMap((record) => ratiosOf(record).flushed ?? []);
  if (anywhere.length > 0) {
    const [mean, tenth] = [geometricMean(anywhere), quantile(anywhere, 0.1)].map((x) => x.toFixed(3));
    means.push(`${anywhere.length} random shapes: geometric mean ${mean} × cublasLt, a tenth below ${tenth}`);
  }
  const lines = [...means, ...records.flatMap(fusedLine), ...records.flatMap(sampleLines), ...layoutLines(records)];
  return [table(head, records.map(rowOf)), ...lines].join("\n");
};

/** One contender a line, the fastest first. */
export function details(record: CaseRecord): string {
  const us = flushedOf(record);
  const names = [...new Set([...Object.keys(record.checks), ...Object.keys(record.peers)])].toSorted(
    (x, y) => (us(x) ?? Number.POSITIVE_INFINITY) - (us(y) ?? Number.POSITIVE_INFINITY),
  );
  const rows = names.map((name) => {
    const long = record.sustained[name];
    const check = record.checks[name];
    return [
      ...[
        `  ${name}`,
        number(us(name), 2),
        number(ratio(record.peers[baseline(record)], us(name)), 3),
        number(record.warm[name], 2),
      ],
      ...[number(long?.us, 2), number(long?.clockMHz, 0), number(long?.watts, 0), number(long?.celsius, 0)],
      ...[
        check ? check.relative.toExponential(1) : "–",
        [check?.pass === false ? "WRONG" : "", record.notes[name], ...(long?.limits ?? [])].filter(Boolean).join(", "),
      ],
    ];
  });
  return table([record.case, "µs", "× Lt", "warm", "sustained", "MHz", "W", "°C", "error", ""], rows);
}
