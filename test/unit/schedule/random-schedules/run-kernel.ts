/** One random schedule as a kernel: each step and its lowering are refused with a reason, or the kernel computes what the program did. */
import type { Device, DeviceTensor } from "warpsmith";
import { WarpsmithError } from "../../../../src/base/diag/index.ts";
import { type FlatArray, interpret } from "../../../../src/schedule/ir/interpret.ts";
import { printProgram } from "../../../../src/schedule/ir/print.ts";
import type { ThreadTag } from "../../../../src/schedule/ir/types.ts";
import { loopsOf } from "../../../../src/schedule/ir/walk.ts";
import { programKernel } from "../../../../src/schedule/lower/index.ts";
import { type LoopRef, Schedule } from "../../../../src/schedule/schedule.ts";
import type { Random } from "../../../fuzz/random.ts";
import { opening, randomStep, type Told } from "./random-step.ts";
import { arraysOf, type Subject, subject } from "./subjects.ts";

/** Iterations of a loop that are soon run. */
const most = 4096;

/** W2020: a register that is filled under a condition and read under another one, which lowering does not say in its own words yet. */
const isRefusal = (e: unknown): boolean => e instanceof WarpsmithError && /^(W5[56]\d\d|W2020)$/.test(e.code);

/** Runs it, if it is not refused; the error, if it is another one. */
function tried(run: () => void): unknown {
  try {
    run();
    return undefined;
  } catch (e) {
    return isRefusal(e) ? undefined : e;
  }
}

/** Binds some loops that are still serial, most of them to threads, and lets some be one access. */
function bindSome(s: Schedule, random: Random, told: (t: Told) => void): unknown {
  const tags: readonly ThreadTag[] = ["threadIdx.x", "threadIdx.x", "threadIdx.x", "threadIdx.y", "blockIdx.x"];
  const all = s.getBlocks().flatMap((b): LoopRef[] => (tried(() => void s.getLoops(b)) ? [] : s.getLoops(b)));
  for (const loop of new Set(all)) {
    if (!random.chance(0.6)) continue;
    const kind = random.weighted({ bind: 6, vectorize: 1, unroll: 1, split: 3 });
    const tag = random.pick(tags);
    told({ kind, args: `${loop.name}, ${tag}` });
    const wrong = tried(() => {
      if (kind === "bind") s.bind(loop, tag);
      else if (kind === "split") {
        const [outer, inner] = s.split(loop, [null, random.pick([2, 4, 8])]);
        if (outer && random.chance(0.5)) s.bind(outer, tag);
        if (inner) random.chance(0.5) ? s.vectorize(inner) : s.bind(inner, random.pick(tags));
      } else s[kind](loop);
    });
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

const describe = (e: unknown): string => (e instanceof Error ? (e.stack ?? e.message) : String(e));

async function launched(s: Subject, schedule: Schedule, device: Device): Promise<string | undefined> {
  const wanted = arraysOf(s);
  interpret(s.program, wanted);
  const tensors: DeviceTensor[] = s.program.params.map((b) => {
    const shape = b.shape.map((e) => (e.kind === "const" ? Number(e.value) : 0));
    return device.tensor(b.dtype, shape, (s.data[b.name] ?? []) as never) as DeviceTensor;
  });
  try {
    programKernel(schedule.program).launch({}, ...tensors);
    for (const [n, { name }] of s.program.params.entries()) {
      const got = (await tensors[n]?.read()) as FlatArray;
      const array = wanted[name] ?? [];
      const at = Array.from(array).findIndex((x, i) => !(Math.abs(x - (got[i] ?? Number.NaN)) <= s.tolerance * Math.abs(x)));
      if (at >= 0) return `${name}[${at}] is ${got[at]}, not ${array[at]}`;
    }
    return undefined;
  } catch (e) {
    return isRefusal(e) ? undefined : describe(e);
  } finally {
    for (const t of tensors) t.dispose();
  }
}

/** What became of a random schedule: what is wrong with it, or whether its kernel ran. */
export async function runKernel(random: Random, device: Device): Promise<{ readonly wrong?: string; readonly ran: boolean }> {
  const s = subject(random);
  const schedule = new Schedule(s.program);
  const told: Told[] = [];
  const hear = (t: Told): void => void told.push(t);
  const failed = (why: string) => ({
    wrong: [`${s.name}: ${why}`, ...told.map((t) => `  ${t.kind}(${t.args})`), printProgram(schedule.program)].join("\n"),
    ran: false,
  });
  const steps = random.between(0, 5);
  const begin = random.chance(0.5);
  for (let i = 0; i <= steps; i++) {
    const wrong = tried(() => {
      if (begin && i === 0) opening(schedule, random, hear);
      else if (i < steps) randomStep(schedule, random, hear);
    });
    if (wrong !== undefined) return failed(describe(wrong));
  }
  const wrong = bindSome(schedule, random, hear);
  if (wrong !== undefined) return failed(describe(wrong));
  const threads = loopsOf(schedule.program).reduce(
    (n, l) => Math.max(n, l.extent.kind === "const" ? Number(l.extent.value) : 1),
    1,
  );
  if (threads > most) return { ran: false };
  const result = await launched(s, schedule, device);
  return result === undefined ? { ran: true } : failed(result);
}
