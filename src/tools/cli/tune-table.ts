/** Times of candidates as lines of a table with bars. */
import type { Trial } from "../../kernels/tune/index.ts";

/** Lines of those that were timed, and of those that were not. */
const most = { timed: 16, others: 8 } as const;
const width = 24;
const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const;

function bar(share: number): string {
  const whole = Math.floor(share * width);
  return "█".repeat(whole) + (eighths[Math.floor((share * width - whole) * 8)] ?? "");
}

const nameOf = ({ candidate }: Trial): string =>
  Object.entries(candidate)
    .map(([field, value]) => `${field} ${Array.isArray(value) ? value.join("x") : String(value)}`)
    .join(", ");

/** The fastest first, each with a bar as long as its time; then what hangs, faults, is wrong or was refused, and why. */
export function drawTimes(trials: readonly Trial[]): string {
  const timed = trials.filter(({ us }) => us !== undefined);
  const others = trials.filter(({ outcome }) => outcome !== "right");
  const shown = timed.slice(0, most.timed);
  const longest = Math.max(...shown.map(({ us = 0 }) => us), 1e-9);
  const lines = shown.map((trial) => {
    const { us = 0 } = trial;
    return `${us.toFixed(2).padStart(10)} us  ${bar(us / longest).padEnd(width)}  ${nameOf(trial)}`;
  });
  if (timed.length > shown.length) lines.push(`${"".padStart(13)}  and ${timed.length - shown.length} slower ones`);
  for (const trial of others.slice(0, most.others))
    lines.push(`${trial.outcome.padStart(13)}  ${nameOf(trial)}: ${trial.reason ?? ""}`);
  if (others.length > most.others) lines.push(`${"".padStart(13)}  and ${others.length - most.others} that cannot be used`);
  return lines.join("\n");
}
