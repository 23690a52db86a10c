import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { entries } from "./test/support/compile-file.mjs";
import { recordedTimes } from "./test/support/recorded-times.ts";
import { reportTimes } from "./test/support/times.ts";
import { announceTurn, commitSeed, rememberFailures } from "./test/support/turn.ts";
import { compileSources } from "./test/support/unbundled.ts";

/** A test file is a short program: V8's optimising compiler, asked later, leaves out what would have been used for seconds. */
const laterOptimised = "--interrupt-budget=500000";
// Vitest itself is one, too: it transforms each file once.
setFlagsFromString(laterOptimised);

/** Tests are watched where that is asked for. Vite knows then which of them a changed file of `src` concerns; a run loads what is compiled. */
const watches = ["watch", "dev", "--watch", "-w"].some((word) => process.argv.includes(word));

async function throughVite() {
  const { warpsmith } = await import("./src/entries/plugin.ts");
  const source = (file: string) => fileURLToPath(new URL(`./src/${file.replace(/\.js$/, ".ts")}`, import.meta.url));
  const alias = [...entries].map(([name, file]) => ({ find: new RegExp(`^${name}$`), replacement: source(file) }));
  return { plugins: [warpsmith.vite()], resolve: { alias } };
}

/** Tests of what a process has once: its open devices, a GPU that an assertion takes from it, the plans that it has chosen. */
const once = [
  "test/gpu/graphs.test.ts",
  "test/unit/runtime/collected.test.ts",
  "test/unit/kernels/kept.test.ts",
  "test/unit/runtime/device-registry.test.ts",
  "test/unit/kernels/tune/kept.test.ts",
  "test/errors/errors.test.ts",
  "test/docs/snippets.test.ts",
];

/** As they were at the last release: a file that is newer counts for nothing. */
const times = recordedTimes("all");

/** What takes ten seconds of CPU or more, beside files named *.long.test.ts. They share no modules: where many kernels have run, one more takes longer (docs/decisions/0041). */
const heavy = Object.keys(times).filter((file) => (times[file]?.cpu ?? 0) >= 10_000 && !file.endsWith(".long.test.ts"));

/** Files that share no modules with others; in `npm test`, where less is asked, the heavy ones do. */
const aloneIn = (quick: boolean) => [...once, ...(quick ? [] : [...heavy, "test/**/*.long.test.ts"])];

/** What .ci/run asks each time, and `npm test` does not: what reads the types of all of src, and what has a process of its own and is about few things. */
const notQuick = [
  "test/docs/api.test.ts",
  "test/unit/kernels/kept.test.ts",
  "test/unit/kernels/tune/kept.test.ts",
  "test/unit/runtime/collected.test.ts",
];

/**
 * Long files begin first, so that all workers end at about the same time. Those that share a process come last, one after the other: a file between them that
 * does not would end it.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const time = ({ moduleId }: TestSpecification): number => {
      const { cpu, clock } = times[relative(import.meta.dirname, moduleId)] ?? { cpu: 0, clock: 0 };
      return Math.max(cpu, clock);
    };
    const isShared = ({ project }: TestSpecification): number => (project.name === "together" ? 1 : 0);
    return (await super.sort(files)).sort((a, b) => isShared(a) - isShared(b) || time(b) - time(a));
  }
}

/** Where there is no GPU, to load what would be skipped costs seconds. Linux, WSL, Windows. */
const mayHaveGpu = process.platform === "win32" || ["/dev/nvidiactl", "/dev/dxg"].some((file) => existsSync(file));

const hooks = new URL("./test/support/register-hooks.mjs", import.meta.url).href;

/** Variables by which one asks for a part of a file, or for more of it. */
const narrowing = ["CASES", "COURT", "HAZARDS", "REMOVALS", "SCHEDULES", "CHECKS", "SCHEDULE", "CHECK", "RUNS", "SEED"];

/** Refuses what would leave tests out without a word. */
function checkRun(mode: string): void {
  const { TESTS: asked = "" } = process.env;
  const isWhole = mode !== "quick" && mode !== "sixth";
  if (asked !== "" && !(isWhole && ["all", "thorough"].includes(asked)))
    throw new Error(
      `TESTS=${asked}: ${isWhole ? "it is all or thorough; npm test and npm run test:ci take less" : `--mode ${mode} says how much is taken`}`,
    );
  const left = isWhole ? [] : narrowing.filter((name) => (process.env[name] ?? "") !== "");
  if (left.length > 0) throw new Error(`${left.join(", ")}: these choose in a file that is named to npx vitest run; unset them`);
  const long = process.argv.find((argument) => argument.includes(".long."));
  if (mode === "quick" && long !== undefined)
    throw new Error(
      `npm test takes no file of exhaustive tests: npx vitest run ${long}, or npm run test:ci -- ${long} for a sixth`,
    );
  const notTaken = notQuick.find((file) =>
    process.argv.some((argument) => file.endsWith(argument) && argument.endsWith(".test.ts")),
  );
  if (mode === "quick" && notTaken !== undefined)
    throw new Error(`npm test leaves ${notTaken} out: npx vitest run ${notTaken}, or npm run test:ci -- ${notTaken}`);
}

/** Of what is exhaustive `npm test` (`--mode quick`) takes nothing, `npm run test:ci` (`--mode sixth`) a sixth: test/support/amount.ts. */
export default defineConfig(async ({ mode }) => {
  checkRun(mode);
  const quick = mode === "quick";
  const sixth = mode === "sixth" ? announceTurn() : undefined;
  if (!watches) await compileSources();
  if (!mayHaveGpu) console.log("test/gpu is left out: there is no GPU here");
  const shared = watches ? await throughVite() : {};
  const test = {
    include: ["test/**/*.test.ts"],
    exclude: [
      ...configDefaults.exclude,
      ...(quick ? ["**/*.long.test.ts", ...notQuick] : []),
      ...(mayHaveGpu ? [] : ["test/gpu/**"]),
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { TESTS: quick || sixth ? mode : process.env.TESTS || "all", COMMIT_SEED: String(commitSeed()), ...sixth?.variables },
    setupFiles: ["test/support/each-file.mjs"],
    tags: [{ name: "rotating", description: "npm test leaves it out, .ci/run takes a sixth" }],
    // Compilers and emulators leave much behind that is used once: with more room for what is new, less of it is copied before it is dropped. Where each core
    // has a worker, none is left to help one collect. What blanks out types is WebAssembly, and has too little to do in a process to be compiled twice.
    execArgv: [
      "--max-semi-space-size=64",
      "--single-threaded-gc",
      "--liftoff-only",
      laterOptimised,
      ...(watches ? [] : ["--import", hooks]),
    ],
    ...(watches ? {} : { experimental: { viteModuleRunner: false, nodeLoader: false } }),
  };
  const alone = aloneIn(quick);
  return {
    ...shared,
    test: {
      watch: watches,
      // One more than there are cores where CI runs: it waits less for ptxas, and gets its share of a machine that does other things, too.
      maxWorkers: sixth ? availableParallelism() + 1 : "100%",
      sequence: { sequencer: LongestFirst },
      // What a test expects is written where one says so, `-u`.
      update: "none" as const,
      reporters: [
        "default",
        ...(sixth ? [rememberFailures(sixth.turn)] : []),
        ...(sixth || process.env.TIMES ? [reportTimes] : []),
      ],
      projects: [
        {
          ...shared,
          test: { ...test, name: "together", isolate: false, exclude: [...test.exclude, ...alone] },
        },
        { ...shared, test: { ...test, name: "alone", include: alone } },
      ],
    },
  };
});
