/** For vitest.config.ts and `npm run test:times`: the CPU time of each file, as around-file.ts has measured it. */
import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

export interface FileTime {
  readonly file: string;
  readonly tests: number;
  /** Milliseconds of CPU: of loading it, and of its tests. */
  readonly loading: number;
  readonly running: number;
  /** Milliseconds of its tests by the clock. */
  readonly clock: number;
}

const timeOf = (module: TestModule, root: string): FileTime => {
  const { loading = 0, tests = 0 } = module.meta().cpu ?? {};
  const ran = [...module.children.allTests()].filter((test) => ["passed", "failed"].includes(test.result().state));
  return {
    file: relative(root, module.moduleId),
    tests: ran.length,
    loading,
    running: tests,
    clock: module.diagnostic().duration,
  };
};

export const total = ({ loading, running }: FileTime): number => loading + running;

/** The ten files that took the most, for people. */
function printLongest(times: readonly FileTime[]): void {
  const all = times.reduce((sum, time) => sum + total(time), 0);
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1e6;
  console.log(
    `\nCPU of the test files: ${(all / 1000).toFixed(0)} s; of the process that runs them: ${own.toFixed(0)} s. The ten longest:`,
  );
  for (const time of times.slice(0, 10)) console.log(`${(total(time) / 1000).toFixed(1).padStart(7)} s  ${time.file}`);
}

/** Prints the longest files; with `TIMES=FILE` all are written there. */
export const reportTimes: Reporter = {
  onTestRunEnd(modules) {
    const times = modules.map((module) => timeOf(module, process.cwd())).toSorted((a, b) => total(b) - total(a));
    printLongest(times);
    if (process.env.TIMES) writeFileSync(process.env.TIMES, `${JSON.stringify(times, null, 1)}\n`);
  },
};
