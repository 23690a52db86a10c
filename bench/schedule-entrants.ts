// Who takes part where products by schedules are measured at one size.
import type { Device, Stream } from "warpsmith";
import { tensorCorePipeline } from "warpsmith/schedule";
import { applyKernel, elementwiseWidths } from "./elementwise.ts";
import { mmaGemm, mmaPlanName } from "./mma-sync-kernel.ts";
import { ceilingPlans } from "./mma-sync-plans.ts";
import type { Fusion } from "./problem.ts";
import { ProductRoom } from "./product-room.ts";
import { ablation, type PathName, paths, plansFor, type Result, type SchedulePlan } from "./schedule-plans.ts";
import { programOf } from "./schedule-programs.ts";

/** What is measured together: one size, one type of result, one thing to compute. */
export interface Task {
  readonly size: number;
  readonly result: Result;
  readonly work: "product" | Fusion;
  /** Paths that take part; "ablation": the steps of the ablation, all of them timed. */
  readonly paths: readonly (PathName | "ablation")[];
  /** Plans of each path that are tried at most. */
  readonly plans: number;
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

/** The kernel of a plan; it is made when it is first launched. */
function planned(team: string, { name, options, sum = "f32" }: SchedulePlan, { size, result, work }: Task): Entrant {
  let kernel: ReturnType<ReturnType<typeof tensorCorePipeline>["schedule"]["kernel"]> | undefined;
  return {
    ...{ team, name, sum },
    launch: ({ a, b, e, out }, stream) => {
      kernel ??= tensorCorePipeline(programOf(size, work, result, sum), options).schedule.kernel();
      if (work === "product") kernel.launch(at(stream), a, b, out);
      else kernel.launch(at(stream), a, b, e, out);
    },
  };
}

/** The name of the ceiling's team, by what its products are summed in. */
export const ceilingOf = (sum: Result): string => (sum === "f32" ? "ceiling" : "ceiling with sums in f16");

/** Everybody of ours in a task, the ceiling among them. Kernels are kept, so that they are made once. */
export class Entrants {
  readonly task: Task;
  readonly all: readonly Entrant[];

  /** `timed`: the ceiling takes part, too. */
  constructor(task: Task, timed: boolean) {
    this.task = task;
    const { size, result, work, without } = task;
    const ours = task.paths.flatMap((path) => {
      const plans =
        path === "ablation" ? plansFor(ablation, size, result, ablation.length) : plansFor(paths[path], size, result, task.plans);
      return plans.map((plan) => planned(path === "ablation" ? `ablation ${plan.name}` : path, plan, task));
    });
    const sums = timed && work === "product" ? [...new Set(ours.map(({ sum }) => sum))] : [];
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
    using room = new ProductRoom(device, this.task.size, this.task.result, this.task.work);
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
