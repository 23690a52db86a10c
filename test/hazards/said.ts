import { existsSync, readFileSync } from "node:fs";
import type { Device } from "warpsmith";
import { nameOf, openMachine, type Setting } from "./schedule.ts";

/** A piece of a kernel's synchronisation taken away: what must be said of it, or why nothing can be. */
export interface Change {
  /** A piece of the kernel's text that is there once … */
  readonly text: string;
  /** … and what stands there instead. */
  readonly instead: string;
  /** What is said of it; of harmless ones nothing. */
  readonly codes: readonly string[];
  /** A piece of the line that is named. */
  readonly at?: string;
  readonly strictOnly?: true;
  /** Why nothing is said. */
  readonly harmless?: string;
}

/** `REMOVALS=all npx vitest run test/hazards/removals.long.test.ts` */
export const settings: readonly Setting[] =
  process.env.REMOVALS === "all"
    ? (["eager", "lazy", "torn", 1, 2] as const).flatMap((schedule) => [
        { check: "strict", schedule },
        { check: "normal", schedule },
      ])
    : [{ check: "strict", schedule: "eager" }];

export interface Said {
  readonly code: string;
  readonly message: string;
  /** The line that is named: its number, and as it is written. */
  readonly number: number;
  readonly line: string;
}

interface Place {
  readonly file: string;
  readonly line: number;
  readonly note?: string;
}

/** Of a kernel of the package that is the kernel's line, and not the launch before it. */
const placeOf = (spans: readonly Place[] = []): Place =>
  spans.find(({ note }) => note?.startsWith("in the library")) ?? spans[0] ?? { file: "", line: 0 };

/** What is said of that run, if anything. */
export async function saidOf(run: (device: Device) => Promise<void>, setting: Setting): Promise<Said | undefined> {
  const { device } = await openMachine(setting);
  try {
    await run(device);
    return undefined;
  } catch (error) {
    const { code, message, spans } = error as { code: string; message: string; spans?: readonly Place[] };
    const { file, line } = placeOf(spans);
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    return { code, message, number: line, line: text.split("\n")[line - 1] ?? "" };
  } finally {
    await device.dispose();
  }
}

/** What is wrong with what was said; undefined where it is as the table says. */
export function judge(change: Change, setting: Setting, said: Said | undefined): string | undefined {
  const tolerated = change.harmless !== undefined || (change.strictOnly === true && setting.check === "normal");
  if (!said) return tolerated ? undefined : `${nameOf(setting)}: nothing was said`;
  const told = `${nameOf(setting)}: line ${said.number}: ${said.line.trim()}\n${said.message}`;
  if (tolerated) return told;
  return change.codes.includes(said.code) && said.line.includes(change.at ?? "") ? undefined : told;
}

const firstLine = (text: string): string | undefined => text.trim().split("\n")[0];

export const titleOf = ({ text, instead }: Change): string => `${firstLine(text)} → ${firstLine(instead)}`;

/** The text with the change. */
export function changed(whole: string, { text, instead }: Change): string {
  const times = whole.split(text).length - 1;
  if (times !== 1) throw new Error(`the text is there ${times} times, not once: ${text}`);
  return whole.replace(text, () => instead);
}
