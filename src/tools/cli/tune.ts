/** `warpsmith tune`: candidates of a kernel at some sizes, what became of them, and the fastest kept. */

import { Progress } from "../../base/progress.ts";
import {
  type Candidate,
  describeDevice,
  type Family,
  families,
  NoWorker,
  searchPlans,
  type Trial,
  type Workplace,
} from "../../kernels/tune/index.ts";
import type { TuneOptions } from "./options.ts";
import { json, styled } from "./output.ts";
import { Refusal, wholeNumber } from "./refusal.ts";
import { drawTimes } from "./tune-table.ts";

interface Request {
  readonly family: Family<unknown>;
  readonly device?: string;
  readonly budget: number;
  readonly jobs: number;
  readonly patience: number;
  readonly dry: boolean;
}

/** What one call goes through ends sooner. */
const most = { budget: 86_400, jobs: 256, patience: 3600 };

function readRequest(kernel: string, options: TuneOptions): Request {
  const family = families.find(({ name }) => name === kernel);
  if (!family) throw new Refusal(`there is no kernel ${kernel} to tune. There is ${families.map(({ name }) => name).join(", ")}`);
  return {
    family,
    ...(options.device === undefined ? {} : { device: options.device }),
    budget: wholeNumber("budget", options.budget, 1, most.budget),
    jobs: wholeNumber("jobs", options.jobs, 1, most.jobs),
    patience: wholeNumber("patience", options.patience, 1, most.patience),
    dry: options.dry === true,
  };
}

/** What was found for one size, as `--json` has it. */
interface Found {
  readonly size: string;
  readonly device: string;
  /** Undefined where nothing was measured. */
  readonly best?: { readonly candidate: Candidate; readonly us: number; readonly usualUs?: number };
  readonly kept: boolean;
  readonly trials: readonly Trial[];
}

async function tuneSize(request: Request, size: string, problem: unknown, progress: Progress): Promise<Found> {
  const { family, dry } = request;
  const place: Workplace = {
    spec: { family: family.name, problem, ...(request.device === undefined ? {} : { device: request.device }) },
    patience: request.patience,
  };
  const device = await describeDevice(place);
  const { trials, usual } = await searchPlans(place, { ...request, problem, device, progress });
  const [first] = trials;
  const best = first?.us === undefined ? undefined : { candidate: first.candidate, us: first.us };
  const usualUs = trials.find(({ candidate }) => JSON.stringify(candidate) === JSON.stringify(usual))?.us;
  return {
    size,
    device: device.device,
    ...(best && { best: { ...best, ...(usualUs !== undefined && { usualUs }) } }),
    kept: best !== undefined && !dry,
    trials,
  };
}

function tell(family: string, { size, device, best, kept, trials }: Found): void {
  console.log(`${family} ${size} on ${device}\n${drawTimes(trials)}`);
  if (!best) {
    const right = trials.filter(({ outcome }) => outcome === "right").length;
    console.log(`nothing was timed: ${right} of ${trials.length} candidates were right, and the emulator has no time of a GPU`);
    return;
  }
  const gain = best.usualUs === undefined ? "" : `, ${(best.usualUs / best.us).toFixed(3)} times as fast as without`;
  console.log(styled(process.stdout, "green", `the fastest takes ${best.us.toFixed(2)} us${gain}${kept ? "; kept" : ""}`));
}

/** Exit status 1 where no candidate of a size was right. Throws a `Refusal` for a wrong command line, and where there is no device. */
export async function tune(kernel: string, sizes: readonly string[], options: TuneOptions): Promise<void> {
  const request = readRequest(kernel, options);
  const problems = sizes.map((size) => {
    const problem = request.family.problem(size, options.dtype, options.layout);
    if (problem === undefined)
      throw new Refusal(
        `${kernel} has no problem ${size} of ${options.dtype}, ${options.layout}: sizes are MxNxK, such as 4096x4096x4096, of f16 or bf16, nt, nn, tn or tt`,
      );
    return { size, problem };
  });
  const progress = new Progress();
  const found: Found[] = [];
  for (const { size, problem } of problems)
    try {
      const one = await tuneSize(request, size, problem, progress);
      progress.clear();
      found.push(one);
      if (!options.json) tell(kernel, one);
      if (!one.trials.some(({ outcome }) => outcome === "right")) process.exitCode = 1;
    } catch (error) {
      progress.clear();
      if (error instanceof NoWorker) throw new Refusal(`nothing can be tuned: ${error.message}`);
      throw error;
    }
  if (options.json) console.log(json(found));
}
