// Who takes part where products by schedules are measured at one size.
import type { Device, Stream } from "warpsmith";
import { type Schedule, tensorCorePipeline } from "warpsmith/schedule";
import { fullSizes, ladder as tutorial } from "../examples/schedule/tensorir/further/steps.ts";
import { applyKernel, elementwiseWidths } from "./elementwise.ts";
import { mmaGemm, mmaPlanName } from "./mma-sync-kernel.ts";
import { ceilingPlans } from "./mma-sync-plans.ts";
import type { Fusion } from "./problem.ts";
import { ProductRoom } from "./product-room.ts";
import {
  ablation,
  isLadder,
  type LadderName,
  type PathName,
  paths,
  plansFor,
  type Result,
  type SchedulePlan,
  wayName,
} from "./schedule-plans.ts";
import { programOf } from "./schedule-programs.ts";

/** What is measured together: one size, one type of result, one thing to compute. */
export interface Task {
  readonly size: number;
  readonly result: Result;
  readonly work: "product" | Fusion;
  /** How A and B lie: "nn" or, for the tutorial's programs, "nt". */
  readonly layout: "nn" | "nt";
  /** Paths that take part, and ladders. */
  readonly paths: readonly (PathName | LadderName)[];
  /** Plans of each path that are tried at most. */
  readonly plans: number;
  /** Names of plans that were the fastest of their path in an earlier record, which are tried first. */
  readonly known: readonly string[];
  /** Plans that are left out by name: their kernels have ruined a process. */
  readonly without: readonly string[];
}

/** Who may take part: one of a team, of which the fastest is timed. */
export interface Entrant {
  readonly team: string;
  readonly name: string;
  readonly sum: Result;
  launch(room: ProductRoom, stream: Stream | undefined): void;
}

const at = (stream: Stream | undefined) => (stream ? { stream } : {});

/** The kernel of a schedule; it is made when it is first launched. */
function scheduled(of: Pick<Entrant, "team" | "name" | "sum">, work: Task["work"], make: () => Schedule): Entrant {
  let kernel: ReturnType<Schedule["kernel"]> | undefined;
  return {
    ...of,
    launch: ({ a, b, e, out }, stream) => {
      kernel ??= make().kernel();
      if (work === "product") kernel.launch(at(stream), a, b, out);
      else kernel.launch(at(stream), a, b, e, out);
    },
  };
}

function planned(team: string, { name, options, sum = "f32" }: SchedulePlan, { size, result, work }: Task): Entrant {
  const make = (): Schedule => tensorCorePipeline(programOf(size, work, result, sum), options).schedule;
  return scheduled({ team, name, sum }, work, make);
}

/** Each step of a ladder is a team, so that all of them are timed. */
const rung = (ladder: LadderName, name: string): string => `${ladder} ${name}`;
/** Is it a team of that path, or of that ladder? */
export const isOf = (path: PathName | LadderName, team: string): boolean =>
  isLadder(path) ? team.startsWith(`${path} `) : team === path;

/** The steps of the tutorial's chapter and other ways to them, where its tiles divide the size and K is more trips than are on their way. */
function tutorialEntrants({ size, work }: Task): readonly Entrant[] {
  if (size % 128 !== 0 || size < 256) return [];
  const ways = tutorial.flatMap(({ name, make, others = {} }) => [
    { name, make },
    ...Object.entries(others).map(([way, other]) => ({ name: wayName(name, way), make: other })),
  ]);
  return ways.map(({ name, make }) =>
    scheduled({ team: rung("tutorial", name), name, sum: "f32" }, work, () => make(size, fullSizes)),
  );
}

const ladders: Readonly<Record<LadderName, (task: Task) => readonly Entrant[]>> = {
  ablation: (task) => plansFor(ablation, task, ablation.length).map((plan) => planned(rung("ablation", plan.name), plan, task)),
  tutorial: tutorialEntrants,
};

/** The name of the ceiling's team, by what its products are summed in. */
export const ceilingOf = (sum: Result): string => (sum === "f32" ? "ceiling" : "ceiling with sums in f16");

/** Everybody of ours in a task, the ceiling among them. Kernels are kept, so that they are made once. */
export class Entrants {
  readonly task: Task;
  readonly all: readonly Entrant[];

  /** `timed`: the ceiling takes part, too. */
  constructor(task: Task, timed: boolean) {
    this.task = task;
    const { size, result, work, layout, without } = task;
    const ours = task.paths.flatMap((path) =>
      isLadder(path)
        ? ladders[path](task)
        : plansFor(paths[path], task, task.plans, task.known).map((plan) => planned(path, plan, task)),
    );
    // Its kernels take B by rows.
    const sums = timed && work === "product" && layout === "nn" ? [...new Set(ours.map(({ sum }) => sum))] : [];
    const ceilings = sums.flatMap((sum) =>
      ceilingPlans(sum, result)
        .filter(({ tile: [m, n, k] }) => size % m === 0 && size % n === 0 && size % k === 0)
        .map(
          (plan): Entrant => ({
            team: ceilingOf(sum),
            name: `mma.sync by hand, ${mmaPlanName(plan)}${sum === "f16" ? ", sums in f16" : ""}`,
            sum,
            launch: ({ a, b, out }, stream) => mmaGemm.launch(at(stream), a, b, out, plan),
          }),
        ),
    );
    this.all = [...ceilings, ...ours].filter(({ name }) => !without.includes(name));
  }

  /** Launches everybody once, so that nothing is compiled while something is timed. Says before each whose turn it is. */
  async prepare(device: Device, turn: (name: string) => void): Promise<void> {
    using room = new ProductRoom(device, this.task);
    for (const entrant of this.all) {
      turn(entrant.name);
      try {
        entrant.launch(room, undefined);
      } catch {
        // It says why when it is checked.
        continue;
      }
      await device.sync();
    }
    for (const width of this.task.work === "product" ? [] : elementwiseWidths)
      applyKernel(this.task.work as Fusion, room.out, room.e, room.out, width);
    await device.sync();
  }
}
