import { table } from "./report.ts";
import type { ScheduleCase } from "./schedule-measure.ts";
import { geometricMean } from "./stats.ts";

/** The time of a peer over that of the schedule: above 1 the schedule is faster. */
export const ratioTo = ({ us, peers }: ScheduleCase, peer: string): number | undefined =>
  us === null || peers[peer] === undefined ? undefined : peers[peer] / us;

const peerNames = (cases: readonly ScheduleCase[]): readonly string[] => [
  ...new Set(cases.flatMap(({ peers }) => Object.keys(peers))),
];
const shown = (x: number | undefined): string => x?.toFixed(3) ?? "–";

/** A line for each case. */
export function caseLines(cases: readonly ScheduleCase[]): string {
  const peers = peerNames(cases);
  const rows = cases.map((one) => {
    const { us, tflops, plan, correct, skipped } = one;
    const why = correct === null ? Object.values(skipped)[0] : undefined;
    const state = correct === null ? (why ?? "no plan for it") : correct ? (plan ?? "correct") : "WRONG";
    return [
      `  ${one.case}`,
      us?.toFixed(2) ?? "–",
      tflops?.toFixed(0) ?? "–",
      ...peers.map((p) => shown(ratioTo(one, p))),
      state,
    ];
  });
  return table(["case", "µs", "TFLOP/s", ...peers.map((peer) => `× ${peer}`), "plan"], rows);
}

/** By path and type of result, for each peer: the geometric mean of all ratios, and the worst one. */
export function summary(cases: readonly ScheduleCase[]): string {
  const lines: string[] = [];
  for (const group of ["square", "fused"] as const)
    for (const path of new Set(cases.map((one) => one.path)))
      for (const result of new Set(cases.map((one) => one.result))) {
        const own = cases.filter((one) => one.group === group && one.path === path && one.result === result && one.us !== null);
        for (const peer of peerNames(own)) {
          const ratios = own.flatMap((one) => {
            const ratio = ratioTo(one, peer);
            return ratio === undefined ? [] : [{ ratio, at: `${one.m}³${group === "fused" ? ` ${one.work}` : ""}` }];
          });
          const worst = ratios.reduce((least, one) => (one.ratio < least.ratio ? one : least));
          const mean = geometricMean(ratios.map(({ ratio }) => ratio));
          lines.push(
            `${group} ${path} f16 to ${result}, × ${peer}: geometric mean ${mean.toFixed(3)}, worst ${worst.ratio.toFixed(3)} at ${worst.at}, of ${ratios.length}`,
          );
        }
        const wrong = own.filter(({ correct }) => !correct).length;
        if (wrong > 0) lines.push(`${group} ${path} f16 to ${result}: ${wrong} cases with a WRONG plan`);
      }
  return lines.join("\n");
}

/** The steps of an ablation, each with what it gains over the one before. */
export function ablationTable({ plans, peers }: ScheduleCase): string {
  const steps = Object.entries(plans);
  const lt = peers.cublasLt;
  const rows = steps.map(([name, us], i) => {
    const before = steps[i - 1]?.[1];
    return [
      `  ${name}`,
      us.toFixed(1),
      before === undefined ? "–" : (before / us).toFixed(2),
      lt === undefined ? "–" : (lt / us).toFixed(3),
    ];
  });
  return table(["ablation", "µs", "× the one before", "× cublasLt"], rows);
}

/** A record as text: a line for each line of the header, and one for each case. */
export function recordText(header: object, cases: readonly ScheduleCase[]): string {
  const above = JSON.stringify({ ...header, cases: [] }, null, 1).replace(/"cases": \[\]\n\}$/, '"cases": [');
  return `${above}\n${cases.map((one) => `  ${JSON.stringify(one)}`).join(",\n")}\n ]\n}\n`;
}
