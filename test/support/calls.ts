import { type Profiler, Session } from "node:inspector";

/** How often functions of these files are called while `run` runs: what something costs, the same on every machine. */
export function callsDuring(run: () => void, of: RegExp): number {
  const session = new Session();
  session.connect();
  // Without a callback these are done when they return.
  const post = (method: "Profiler.enable" | "Profiler.disable"): void => session.post(method);
  let calls = 0;
  try {
    post("Profiler.enable");
    session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    run();
    session.post("Profiler.takePreciseCoverage", (error, taken) => {
      if (error) throw error;
      calls = sum(taken.result, of);
    });
    session.post("Profiler.stopPreciseCoverage");
    post("Profiler.disable");
  } finally {
    session.disconnect();
  }
  return calls;
}

const sum = (scripts: readonly Profiler.ScriptCoverage[], of: RegExp): number =>
  scripts
    .filter(({ url }) => of.test(url))
    .flatMap(({ functions }) => functions.map(({ ranges }) => ranges[0]?.count ?? 0))
    .reduce((a, b) => a + b, 0);
