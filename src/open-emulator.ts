import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { fail } from "./diag/index.ts";
import {
  type Choice,
  choiceMeanings,
  createEmulatorKind,
  type EmulatorOptions,
  joinTraces,
  type LaunchTrace,
  type Trace,
} from "./emulator/index.ts";
import { ownThreads } from "./emulator-threads.ts";
import type { Environment } from "./env.ts";
import type { DeviceBackend, EmulatorSettings } from "./runtime/index.ts";

export { choiceMeanings };

/** What a run on the emulator leaves in its file. */
export interface RunRecord {
  /** Choices other than those of `eager`: number of the launch, name, how many of its name came before, answer. */
  readonly choices: readonly (readonly [launch: number, what: string, nth: number, picked: number])[];
  /** Why launches failed. */
  readonly failures: readonly string[];
  /** There were more choices than a file is worth. */
  readonly cut: boolean;
}

/** Choices beyond so many are not kept. */
const mostChoices = 2 ** 20;

/** Now, and not only after the run. W7028. */
function checkWritable(variable: string, file: string): void {
  try {
    appendFileSync(file, "");
  } catch {
    fail("W7028", { variable, file });
  }
}

/** Collects what runs choose, and writes it when the process ends. */
function recorder(file: string): EmulatorOptions {
  checkWritable("WARPSMITH_RECORD", file);
  const choices: Choice[] = [];
  const failures: string[] = [];
  let cut = false;
  process.on("exit", () => {
    const rows = choices.map((c) => [c.launch, c.what, c.nth, c.picked] as const);
    writeFileSync(file, JSON.stringify({ choices: rows, failures, cut } satisfies RunRecord));
  });
  return {
    chose: (choice) => {
      if (choices.length < mostChoices) choices.push(choice);
      else cut = true;
    },
    failed: (error) => void failures.push(error instanceof Error ? error.message : String(error)),
  };
}

/** Events of all launches together: about 13 MB as a file. */
const mostEvents = 100_000;

/** Collects the timelines of launches, and writes them when the process ends. */
function tracer(file: string): EmulatorOptions {
  checkWritable("WARPSMITH_TRACE", file);
  const launches: LaunchTrace[] = [];
  let room = mostEvents;
  process.on("exit", () => writeFileSync(file, JSON.stringify(joinTraces(launches))));
  const take = (launch: LaunchTrace): void => {
    launches.push(launch);
    room -= launch.events.length;
  };
  return { trace: { room: () => Math.max(0, room), take } };
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
  const { replay, record, trace } = environment;
  const workers = ownThreads();
  const options: EmulatorOptions = {
    check: environment.check ?? defaultCheck,
    ...(workers !== undefined && { workers }),
    ...(replay !== undefined && { schedule: readTrace(replay) }),
    ...(record !== undefined && recorder(record)),
    ...(trace !== undefined && tracer(trace)),
  };
  // `warpsmith check` keeps what its runs choose: there its schedule and checks go before those of the program.
  const asked = record === undefined ? settings : { threads: 1 };
  return createEmulatorKind(options).open(index, environment, asked);
}
