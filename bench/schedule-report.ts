import { table } from "./report.ts";
import type { ScheduleCase } from "./schedule-measure.ts";
import { stepOf } from "./schedule-plans.ts";
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

/** The steps of a ladder, each with what it gains over the one before; other ways to a step below it, beside the one before that step. */
export function ladderTable({ path, plans, peers }: ScheduleCase): string {
  const lt = peers.cublasLt;
  const steps = Object.keys(plans).filter((name) => stepOf(name) === undefined);
  const rows = Object.entries(plans).map(([name, us]) => {
    const step = stepOf(name);
    const before = plans[steps[steps.indexOf(step ?? name) - 1]];
    return [
      step === undefined ? `  ${name}` : `    or${name.slice(step.length)}`,
      us.toFixed(1),
      before === undefined ? "–" : (before / us).toFixed(2),
      lt === undefined ? "–" : (lt / us).toFixed(3),
    ];
  });
  const peer = lt === undefined ? [] : [["  cublasLt", lt.toFixed(1), "", "1"]];
  return table([path, "µs", "× the one before", "× cublasLt"], [...rows, ...peer]);
}
