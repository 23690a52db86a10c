// Asks a GPU for the 64 bits of an mbarrier in shared memory, which the PTX ISA calls opaque: after each step of some scenarios.
//
//   node --import ./dist/register.js test/tools/mbarrier-bits.ts [--device cuda|emulator]
//
// One line per step: the bits beside what the manual says the barrier holds. An H200 shows the state of a barrier in memory only once it is invalidated: decision 30.
import { parseArgs } from "node:util";
import { openDevice } from "warpsmith";
import { loadPtx } from "warpsmith/ptx";

const { values } = parseArgs({ options: { device: { type: "string", default: "cuda" } } });

interface MbarrierState {
  readonly parity: 0 | 1;
  readonly pending: number;
  readonly expected: number;
  readonly bytes: number;
}

type Step =
  | { readonly do: "init"; readonly count: number }
  | { readonly do: "arrive"; readonly count: number }
  | { readonly do: "drop" }
  | { readonly do: "expect"; readonly bytes: number }
  | { readonly do: "complete"; readonly bytes: number };

const init = (count: number): Step => ({ do: "init", count });
const arrive = (count = 1): Step => ({ do: "arrive", count });
const expectTx = (bytes: number): Step => ({ do: "expect", bytes });
const complete = (bytes: number): Step => ({ do: "complete", bytes });

const scenarios: readonly (readonly Step[])[] = [
  [init(1), arrive(), arrive(), arrive()],
  [init(2), arrive(), arrive(), arrive(), arrive()],
  [init(3), arrive(), arrive(), arrive()],
  [init(128), arrive(), arrive(3), arrive(124), arrive(128)],
  [init(0xfffff), arrive(), arrive(0xffffe), arrive()],
  [init(1), expectTx(16), arrive(), complete(16)],
  [init(1), expectTx(4096), arrive(), complete(1024), complete(1024), complete(2048)],
  [init(2), expectTx(1), complete(1), arrive(), arrive()],
  [init(4), complete(32), arrive(), expectTx(32), arrive(3)],
  [init(2), expectTx(0xfffff), arrive(), complete(0xfffff), arrive()],
  [init(2), arrive(), { do: "drop" }, arrive(), arrive()],
];

function ptxOf(step: Step): string {
  switch (step.do) {
    case "init":
      return `mbarrier.init.shared.b64 [bar], ${step.count};`;
    case "arrive":
      return `mbarrier.arrive.shared::cta.b64 %rd2, [bar], ${step.count};`;
    case "drop":
      return "mbarrier.arrive_drop.shared::cta.b64 %rd2, [bar];";
    case "expect":
      return `mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], ${step.bytes};`;
    case "complete":
      return `mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], ${step.bytes};`;
    default:
      return step satisfies never;
  }
}

/** Ways to load the bits. The assembler believes that no ordinary load sees what the mbarrier instructions write. */
const loads: Readonly<Record<string, string>> = {
  volatile: "ld.volatile.shared.b64 %rd3, [bar];",
  "volatile behind a fence": "membar.cta;\n  nanosleep.u32 2000;\n  ld.volatile.shared.b64 %rd3, [bar];",
  acquire: "fence.acq_rel.cta;\n  ld.acquire.cta.shared.b64 %rd3, [bar];",
  "relaxed behind a wait": "nanosleep.u32 2000;\n  ld.relaxed.cta.shared.b64 %rd3, [bar];",
  generic: "nanosleep.u32 2000;\n  ld.relaxed.gpu.b64 %rd3, [%rd4];",
  atomic: "atom.shared.or.b64 %rd3, [bar], 0;",
};

/** Two words a step: the 64 bits, and the pending count that `mbarrier.pending_count` makes of them. */
function kernelText(load: string): string {
  const lines: string[] = [];
  let at = 0;
  for (const steps of scenarios) {
    for (const step of steps) {
      lines.push(ptxOf(step), load, `st.global.b64 [%rd1+${at}], %rd3;`);
      lines.push("mbarrier.pending_count.b64 %r1, %rd3;", `st.global.b32 [%rd1+${at + 8}], %r1;`);
      at += 16;
    }
    lines.push("mbarrier.inval.shared.b64 [bar];");
  }
  return `.version 8.0
.target sm_90a
.address_size 64
.visible .entry bits(.param .u64 out)
{
  .reg .b64 %rd<5>;
  .reg .b32 %r<2>;
  .shared .align 8 .b64 bar;
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u64 %rd4, bar;
  cvta.shared.u64 %rd4, %rd4;
  ${lines.join("\n  ")}
  ret;
}
`;
}

/** What the manual says that is there after the steps so far. */
function follow(state: MbarrierState & { readonly phase: number }, step: Step): MbarrierState & { readonly phase: number } {
  if (step.do === "init") return { parity: 0, phase: 0, pending: step.count, expected: step.count, bytes: 0 };
  const expected = step.do === "drop" ? state.expected - 1 : state.expected;
  const pending = state.pending - (step.do === "arrive" ? step.count : step.do === "drop" ? 1 : 0);
  const bytes = state.bytes + (step.do === "expect" ? step.bytes : step.do === "complete" ? -step.bytes : 0);
  if (pending > 0 || bytes !== 0) return { ...state, pending, expected, bytes };
  const phase = state.phase + 1;
  return { parity: (phase & 1) as 0 | 1, phase, pending: expected, expected, bytes: 0 };
}

/** Clocks that tries take which fail, and what they are worth in nanoseconds: four of `mbarrier.try_wait`. */
const triesText = `.version 8.0
.target sm_90a
.address_size 64
.visible .entry tries(.param .u64 out)
{
  .reg .b64 %rd<6>;
  .reg .pred %p<2>;
  .shared .align 8 .b64 bar;
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd1, %rd1;
  mbarrier.init.shared.b64 [bar], 1;
${[0, 1, 2, 3]
  .map(
    (i) => `  mov.u64 %rd2, %clock64;
  mov.u64 %rd4, %globaltimer;
  mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0;
  mov.u64 %rd3, %clock64;
  mov.u64 %rd5, %globaltimer;
  sub.u64 %rd3, %rd3, %rd2;
  sub.u64 %rd5, %rd5, %rd4;
  @%p1 mov.u64 %rd3, 0;
  st.global.b64 [%rd1+${16 * i}], %rd3;
  st.global.b64 [%rd1+${16 * i + 8}], %rd5;`,
  )
  .join("\n")}
  ret;
}
`;

const steps = scenarios.flat();
await using gpu = await openDevice(values.device === "emulator" ? "emulator" : "cuda", { check: "off" });

async function ask(load: string): Promise<void> {
  const out = gpu.zeros("u64", [2 * steps.length]);
  loadPtx(kernelText(load)).entry("bits").launch({ grid: 1, block: 1 }, out);
  const found = await out.read();
  let state = { parity: 0 as 0 | 1, phase: 0, pending: 0, expected: 0, bytes: 0 };
  for (const [i, step] of steps.entries()) {
    state = follow(state, step);
    const { phase: _, ...right } = state;
    const how = "count" in step ? ` ${step.count}` : "bytes" in step ? ` ${step.bytes}` : "";
    const bits = (found[2 * i] ?? 0n).toString(16).padStart(16, "0");
    console.log(`${`${step.do}${how}`.padEnd(18)} 0x${bits}  pending_count ${found[2 * i + 1]}  holds ${JSON.stringify(right)}`);
  }
}

const tries = gpu.zeros("u64", [8]);
loadPtx(triesText).entry("tries").launch({ grid: 1, block: 1 }, tries);
console.log(`tries that fail, in clocks and nanoseconds: ${(await tries.read()).join(" ")}`);
for (const [name, load] of Object.entries(loads)) {
  console.log(`== ${name}`);
  await ask(load);
}
