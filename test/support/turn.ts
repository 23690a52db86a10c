/** For vitest.config.ts: which sixth of the exhaustive tests a run takes, and what has failed in the last ones. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { SerializedError } from "vitest";
import type { Reporter, TestModule } from "vitest/node";
import { readEnvironment } from "../../src/base/env.ts";
import { type Failed, readTurn, turns } from "./rotation.ts";

const root = join(import.meta.dirname, "../..");

/** For each file, the sixths that have failed, and how many runs take them yet. */
export type Kept = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Beside what the compiler keeps; a CI that keeps this folder between runs keeps the record. Undefined where nothing is kept. */
const recordFile = (): string | undefined => {
  const { cache } = readEnvironment().values ?? {};
  return cache === undefined ? undefined : join(cache, "tests/failed.json");
};

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** What is damaged, or of another form, counts for nothing. */
function readRecord(): Kept {
  try {
    const record: unknown = JSON.parse(readFileSync(recordFile() ?? "", "utf8"));
    return isObject(record) && Object.values(record).every(isObject) ? (record as Kept) : {};
  } catch {
    return {};
  }
}

function commit(): string | undefined {
  const { status, stdout } = spawnSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

/** `ROTATION=2` says which; else the commit does. */
function chooseTurn(): { readonly turn: number; readonly why: string } {
  const { ROTATION: given = "" } = process.env;
  if (given !== "") return { turn: readTurn(given), why: "ROTATION" };
  const hash = commit();
  if (hash === undefined) return { turn: 0, why: "no commit is known" };
  return { turn: Number.parseInt(hash.slice(0, 8), 16) % turns, why: `commit ${hash.slice(0, 8)}` };
}

/** The seed of random tests, which the commit gives. */
export const commitSeed = (): number => Number.parseInt(commit()?.slice(0, 7) ?? "1", 16);

/** Chooses, says so, and gives the variables that workers read. */
export function announceTurn(): { readonly turn: number; readonly variables: Readonly<Record<string, string>> } {
  const { turn, why } = chooseTurn();
  const failed: Failed = Object.fromEntries(
    Object.entries(readRecord()).map(([file, sixths]) => [file, Object.keys(sixths).map(Number)]),
  );
  const again = Object.keys(failed).length > 0 ? `; again what failed lately in ${Object.keys(failed).join(", ")}` : "";
  console.log(
    `sixth ${turn} of 0 to ${turns - 1} of the exhaustive tests (${why})${again}. Again: ROTATION=${turn} npm run test:ci`,
  );
  return { turn, variables: { ROTATION: String(turn), ROTATIONS_FAILED: JSON.stringify(failed) } };
}

/** How a file has ended; `cut`: whatever it says holds nothing, for the run was stopped or an error came from elsewhere. */
export type Ending = "passed" | "failed" | "cut";

/** What is kept after a run of `turn`: what has failed stays for as many runs as there are sixths, and begins anew where it fails again. */
export function remembered(before: Kept, ran: readonly { readonly file: string; readonly ending: Ending }[], turn: number): Kept {
  const after: Record<string, Readonly<Record<string, number>>> = { ...before };
  for (const { file, ending } of ran) {
    if (ending === "cut") continue;
    const failed = ending === "failed";
    const left = Object.entries(before[file] ?? {}).map(([sixth, runs]) => [sixth, failed ? turns : runs - 1] as const);
    const kept = [...left, ...(failed ? [[String(turn), turns] as const] : [])].filter(([, runs]) => runs > 0);
    if (kept.length > 0) after[file] = Object.fromEntries(kept);
    else delete after[file];
  }
  return after;
}

/** A file passes where a test of it has run and none has failed, in a run that came to its end. */
function endingOf(module: TestModule, errors: readonly Partial<SerializedError>[], isWhole: boolean): Ending {
  const states = [...module.children.allTests()].map((test) => test.result().state);
  // A worker that dies leaves its file without an end.
  const isNamed = errors.some((error) => error.VITEST_TEST_PATH === module.moduleId);
  if (isNamed || !module.ok() || (isWhole && states.includes("pending"))) return "failed";
  return isWhole && errors.length === 0 && states.includes("passed") ? "passed" : "cut";
}

/** Keeps which sixth of which file has failed. Of a file whose tests were named (`-t`), only that it fails is kept. */
export function rememberFailures(turn: number): Reporter {
  let named = false;
  return {
    onInit({ config }) {
      named = config.testNamePattern !== undefined;
    },
    onTestRunEnd(modules, errors, reason) {
      const file = recordFile();
      if (file === undefined) return;
      const isWhole = reason !== "interrupted" && !named;
      const ran = modules.map((module) => ({
        file: relative(root, module.moduleId),
        ending: endingOf(module, errors, isWhole),
      }));
      const kept = Object.entries(remembered(readRecord(), ran, turn)).filter(([name]) => existsSync(join(root, name)));
      try {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(`${file}.${process.pid}`, JSON.stringify(Object.fromEntries(kept)));
        renameSync(`${file}.${process.pid}`, file);
      } catch (error) {
        console.warn(`which tests have failed is not remembered: ${error instanceof Error ? error.message : error}`);
      }
    },
  };
}
