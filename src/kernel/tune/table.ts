/** What a search tried, as text. */
import { display, type WarpsmithError } from "../../base/diag/index.ts";
import type { TuneTrial } from "./types.ts";

/** As much of a configuration as a line has room for. */
const longest = 100;

/** A configuration in a message or a table. */
export function configText(config: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(config);
  } catch {
    // What holds itself, or a bigint.
  }
  text ??= display(config);
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

/** An error as a reason in a table. */
export const firstLine = ({ code, sentence }: WarpsmithError): string => `${code} ${sentence.split("\n", 1)[0] ?? ""}`;

const said = new Set<string>();

/** Says once in a process that nothing is measured on the emulator. */
export function sayNothingIsMeasured(by: "autotune" | "tune", what: string): void {
  if (!said.has(by)) console.error(`${by}: the emulator has no time of a GPU: ${what}`);
  said.add(by);
}

const order: readonly TuneTrial["outcome"][] = [
  "measured",
  "chosen without measuring",
  "wrong",
  "refused",
  "pruned",
  "not tried",
];

/** A line for each configuration: the fastest first, `*` before the chosen one, then what was not measured, and why. */
export function tableOf(name: string, device: string, trials: readonly TuneTrial[], chosen: unknown): string {
  const sorted = trials.toSorted((x, y) => order.indexOf(x.outcome) - order.indexOf(y.outcome) || (x.time ?? 0) - (y.time ?? 0));
  const wide = Math.max(0, ...sorted.map(({ config }) => configText(config).length));
  const lines = sorted.map(({ config, outcome, time, reason }) => {
    const said = time === undefined ? (reason ? `${outcome}: ${reason}` : outcome) : `${time.toFixed(2)} us`;
    return `${config === chosen ? "*" : " "} ${configText(config).padEnd(wide)}  ${said}`;
  });
  return [`tune: ${name} on ${device}`, ...lines].join("\n");
}
