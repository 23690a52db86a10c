/** For vitest.config.ts: which sixth of the exhaustive tests a run takes, and what has failed in the last ones. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import { readEnvironment } from "../../src/env.ts";
import { type Failed, turns } from "./rotation.ts";

const root = join(import.meta.dirname, "../..");

/** For each file, the sixths that have failed, and how many runs take them yet. */
export type Kept = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Beside what the compiler keeps; a CI that keeps this folder between runs keeps the record. Undefined where nothing is kept. */
const recordFile = (): string | undefined => {
  const { cache } = readEnvironment().values ?? {};
  return cache === undefined ? undefined : join(cache, "tests/failed.json");
};

function readRecord(): Kept {
  try {
    return JSON.parse(readFileSync(recordFile() ?? "", "utf8")) as Kept;
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
  const { ROTATION: given } = process.env;
  if (given !== undefined) {
    const turn = Number(given);
    if (!Number.isInteger(turn) || turn < 0 || turn >= turns)
      throw new Error(`ROTATION=${given}: it is one of 0 to ${turns - 1}`);
    return { turn, why: "ROTATION" };
  }
  const hash = commit();
  if (hash === undefined) return { turn: 0, why: "no commit is known" };
  return { turn: Number.parseInt(hash.slice(0, 8), 16) % turns, why: `commit ${hash.slice(0, 8)}` };
}

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

/** What is kept after a run of `turn`: what has failed stays for as many runs as there are sixths, and begins anew where it fails again. */
export function remembered(before: Kept, ran: readonly { readonly file: string; readonly ok: boolean }[], turn: number): Kept {
  const after: Record<string, Readonly<Record<string, number>>> = { ...before };
  for (const { file, ok } of ran) {
    const left = Object.entries(before[file] ?? {}).map(([sixth, runs]) => [sixth, ok ? runs - 1 : turns] as const);
    const kept = [...left, ...(ok ? [] : [[String(turn), turns] as const])].filter(([, runs]) => runs > 0);
    if (kept.length > 0) after[file] = Object.fromEntries(kept);
    else delete after[file];
  }
  return after;
}

/** Keeps which sixth of which file has failed. */
export const rememberFailures = (turn: number): Reporter => ({
  onTestRunEnd(modules: readonly TestModule[]) {
    const file = recordFile();
    if (file === undefined) return;
    const ran = modules.map((module) => ({ file: relative(root, module.moduleId), ok: module.ok() }));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(remembered(readRecord(), ran, turn)));
  },
});
