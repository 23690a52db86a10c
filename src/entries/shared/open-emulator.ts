/** The emulator as the environment wants it: recorded, replayed, with progress on a terminal. */

import { readFileSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { printOnce, type Warning, warningOf } from "../../base/diag/index.ts";
import type { Environment } from "../../base/env.ts";
import { Progress } from "../../base/progress.ts";
import {
  type Choice,
  choiceMeanings,
  createEmulatorKind,
  type EmulatorOptions,
  type LaunchProgress,
  type Trace,
} from "../../emulator/index.ts";
import type { DeviceBackend, EmulatorSettings } from "../../runtime/index.ts";
import { ownThreads } from "./emulator-threads.ts";
import { fail } from "./errors.ts";
import { checkWritable, profilesAtExit } from "./profiles-at-exit.ts";

export { choiceMeanings };

/** What a run on the emulator leaves in its file. */
export interface RunRecord {
  /** Choices other than those of `eager`: number of the launch, name, how many of its name came before, answer. */
  readonly choices: readonly (readonly [launch: number, what: string, nth: number, picked: number])[];
  /** Why launches failed. */
  readonly failures: readonly string[];
  /** What the checks have warned of. */
  readonly warnings: readonly Warning[];
  /** There were more choices than a file is worth. */
  readonly cut: boolean;
  /** How far the launch was that ran when the process was told to end. */
  readonly running?: string;
}

const percent = (part: number): string => `${Math.round(100 * part)} %`;

/** "matmul: 12 of 132 clusters done, 3 s, at matmul.ts:81". */
function describeProgress({ kernel, over, total, seconds, at }: LaunchProgress): string {
  const place = at ? `, at ${at.file}:${at.line}` : "";
  return `${kernel}: ${over} of ${total} ${total === 1 ? "cluster" : "clusters"} done, ${Math.floor(seconds)} s${place}`;
}

/** On a terminal, a line about a launch that takes long; gone when it is over, or prints something. */
function shownProgress(stream: NodeJS.WriteStream): EmulatorOptions {
  if (stream.isTTY !== true) return {};
  // Whoever tells has waited long enough.
  const line = new Progress(stream, Number.NEGATIVE_INFINITY);
  return {
    progress: (launch) => {
      if (!launch) return line.clear();
      const { watching = 0 } = launch;
      const advice = watching > 0.5 ? `; ${percent(watching)} of it in checks: WARPSMITH_CHECK=off` : "";
      line.show(`${describeProgress({ ...launch, at: undefined })}${advice}`);
    },
    print: (text) => {
      line.clear();
      console.log(text);
    },
  };
}

/** Choices beyond so many are not kept. */
const mostChoices = 2 ** 20;

/** Collects what runs choose, and writes it when the process ends. */
function recorder(file: string): EmulatorOptions {
  checkWritable("WARPSMITH_RECORD", file);
  const choices: Choice[] = [];
  const failures: string[] = [];
  const warnings: Warning[] = [];
  let cut = false;
  let running: string | undefined;
  process.on("exit", () => {
    const rows = choices.map((c) => [c.launch, c.what, c.nth, c.picked] as const);
    writeFileSync(
      file,
      JSON.stringify({ choices: rows, failures, warnings, cut, ...(running !== undefined && { running }) } satisfies RunRecord),
    );
  });
  // Told to end, it leaves what it knows.
  process.once("SIGTERM", () => process.exit(128 + constants.signals.SIGTERM));
  return {
    progress: (launch) => {
      running = launch && describeProgress(launch);
    },
    chose: (choice) => {
      if (choices.length < mostChoices) choices.push(choice);
      else cut = true;
    },
    failed: (error) => void failures.push(error instanceof Error ? error.message : String(error)),
    warned: (warning) => void warnings.push(warningOf(warning)),
  };
}

function choiceOf(row: unknown): Choice | undefined {
  if (!Array.isArray(row)) return undefined;
  const [launch, what, nth, picked] = row as unknown[];
  const counted = [launch, nth, picked].every((n) => Number.isSafeInteger(n) && Number(n) >= 0);
  if (!counted || typeof what !== "string" || !Object.hasOwn(choiceMeanings, what)) return undefined;
  return { launch, what, nth, picked } as Choice;
}

/** W7026. */
function readTrace(file: string): Trace {
  const wrong = (reason: string): never => fail("W7026", { file, reason });
  let text = "";
  try {
    text = readFileSync(file, "utf8");
  } catch {
    wrong("it cannot be read");
  }
  let rows: unknown;
  try {
    rows = (JSON.parse(text) as { choices?: unknown } | null)?.choices;
  } catch {
    wrong("it is no JSON");
  }
  if (!Array.isArray(rows)) return wrong("it has no list of choices");
  return rows.map((row) => choiceOf(row) ?? wrong(`${JSON.stringify(row)} is no choice`));
}

/** The checks of a program that asks for none, nor for none at all. */
const defaultCheck = "normal";

/** The emulator as the program wants it, then as the environment does; where what it chooses is kept, as the environment does alone. */
export function openEmulator(index: number, environment: Environment, settings?: EmulatorSettings): Promise<DeviceBackend> {
  const { replay, record, profile } = environment;
  const workers = ownThreads();
  const options: EmulatorOptions = {
    check: environment.check ?? defaultCheck,
    warned: (warning) => printOnce(warningOf(warning)),
    ...shownProgress(process.stderr),
    ...(workers !== undefined && { workers }),
    ...(replay !== undefined && { schedule: readTrace(replay) }),
    ...(record !== undefined && recorder(record)),
    ...(profile !== undefined && { profiles: profilesAtExit(profile) }),
  };
  // `warpsmith check` keeps what its runs choose: there its schedule and checks go before those of the program.
  const asked = record === undefined ? settings : { threads: 1 };
  return createEmulatorKind(options).open(index, environment, asked);
}
