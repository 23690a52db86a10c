// Asks a device for the state that an arrival gives of an mbarrier, which the PTX ISA calls opaque: src/kernel/watch/state.ts reads it so.
//
//   node --import ./dist/register.js test/tools/mbarrier-bits.ts [--device cuda|emulator]
//
// One line for each scenario: the state before a last arrival, what `mbarrier.pending_count` makes of it, and what the barrier holds by the manual. On a GPU the exit status is 1
// where the decoded state is another.
import { parseArgs } from "node:util";
import { openDevice } from "warpsmith";
import { loadPtx } from "warpsmith/ptx";
import { decodeState } from "../../src/kernel/watch/state.ts";

const { values } = parseArgs({ options: { device: { type: "string", default: "cuda" } } });

type Step = readonly ["arrive" | "expect" | "complete", number];

interface Scenario {
  readonly count: number;
  readonly steps: readonly Step[];
}

const arrive = (count: number): Step => ["arrive", count];
const expectTx = (bytes: number): Step => ["expect", bytes];
const complete = (bytes: number): Step => ["complete", bytes];

const scenarios: readonly Scenario[] = [
  { count: 1, steps: [] },
  { count: 2, steps: [] },
  { count: 2, steps: [arrive(1)] },
  { count: 128, steps: [arrive(4)] },
  { count: 0xfffff, steps: [arrive(7)] },
  { count: 2, steps: [expectTx(4096)] },
  { count: 2, steps: [expectTx(4096), complete(1024)] },
  { count: 3, steps: [arrive(1), expectTx(16)] },
  { count: 2, steps: [arrive(2), arrive(2)] },
  { count: 2, steps: [arrive(2), arrive(1)] },
  { count: 5, steps: [complete(32)] },
  { count: 5, steps: [complete(4096)] },
  { count: 2, steps: [expectTx(1048575)] },
];

/** What hangs for its bytes alone. The last arrival is one more than the barrier counts, which the emulator refuses: asked of a GPU, and last. */
const bytesAlone: readonly Scenario[] = [{ count: 1, steps: [expectTx(8192), arrive(1), complete(4096)] }];

const texts: Readonly<Record<Step[0], string>> = {
  arrive: "mbarrier.arrive.shared::cta.b64 %rd3",
  expect: "mbarrier.expect_tx.relaxed.cta.shared::cta.b64",
  complete: "mbarrier.complete_tx.relaxed.cta.shared::cta.b64",
};

function scenarioText({ count, steps }: Scenario, i: number): string {
  const bar = `[bars+${8 * i}]`;
  return [
    `mbarrier.init.shared.b64 ${bar}, ${count};`,
    ...steps.map(([what, n]) => `${texts[what]}${what === "arrive" ? "," : ""} ${bar}, ${n};`),
    `mbarrier.arrive.shared::cta.b64 %rd2, ${bar};`,
    "mbarrier.pending_count.b64 %r1, %rd2;",
    `st.global.b64 [%rd1+${16 * i}], %rd2;`,
    `st.global.b32 [%rd1+${16 * i + 8}], %r1;`,
  ].join("\n  ");
}

const textOf = (scenarios: readonly Scenario[]): string => `.version 8.0
.target sm_90a
.address_size 64
.visible .entry states(.param .u64 out)
{
  .reg .b64 %rd<4>;
  .reg .b32 %r<2>;
  .shared .align 8 .b8 bars[${8 * scenarios.length}];
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd1, %rd1;
  ${scenarios.map(scenarioText).join("\n  ")}
  ret;
}
`;

/** What the manual says that is there after the steps. */
function held({ count, steps }: Scenario): { readonly parity: number; readonly pending: number; readonly bytes: number } {
  let [phase, pending, bytes] = [0, count, 0];
  for (const [what, n] of steps) {
    if (what === "arrive") pending -= n;
    else bytes += what === "expect" ? n : -n;
    if (pending === 0 && bytes === 0) [phase, pending] = [phase + 1, count];
  }
  return { parity: phase & 1, pending, bytes };
}

await using gpu = await openDevice(values.device === "emulator" ? "emulator" : "cuda", { check: "off" });

async function ask(asked: readonly Scenario[]): Promise<void> {
  const out = gpu.zeros("u64", [2 * asked.length]);
  loadPtx(textOf(asked)).entry("states").launch({ grid: 1, block: 1 }, out);
  const found = await out.read();
  for (const [i, scenario] of asked.entries()) judge(scenario, found[2 * i] ?? 0n, found[2 * i + 1] ?? 0n);
}

function judge(scenario: Scenario, state: bigint, pending: bigint): void {
  const right = held(scenario);
  const read = decodeState(state);
  const fits =
    read.parity === right.parity && read.pending === right.pending && read.least <= right.bytes && right.bytes <= read.most;
  if (!fits && gpu.kind === "cuda") process.exitCode = 1;
  const steps = [`init ${scenario.count}`, ...scenario.steps.map((step) => step.join(" "))].join(", ");
  const bits = state.toString(16).padStart(16, "0");
  console.log(
    `${fits ? "ok   " : "other"} ${steps.padEnd(44)} 0x${bits}  pending_count ${pending}  holds ${JSON.stringify(right)}`,
  );
}

await ask(scenarios);
if (gpu.kind === "cuda") await ask(bytesAlone);
