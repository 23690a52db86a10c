// Asks a GPU for the states of mbarriers, which the PTX ISA calls opaque: `mbarrier.inval` writes them to shared memory, and src/kernel/watch/state.ts reads them so.
//
//   node --import warpsmith/register test/tools/mbarrier-bits.ts
//
// One line for each scenario: the state, and what the barrier holds by the manual. Then what the phase lacks comes, and the barrier must go on as if nobody had asked, although
// the manual says that nobody uses it any more. The last two: a warp waits meanwhile; arrivals of 0 give a state, too. The exit status is 1 where something is not so.
import { openDevice } from "warpsmith";
import { loadPtx } from "warpsmith/ptx";
import { decodeState } from "../../src/kernel/watch/state.ts";

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
  // Bytes alone.
  { count: 1, steps: [expectTx(8192), arrive(1), complete(4100)] },
];

const texts: Readonly<Record<Step[0], string>> = {
  arrive: "mbarrier.arrive.shared::cta.b64 %rd3,",
  expect: "mbarrier.expect_tx.relaxed.cta.shared::cta.b64",
  complete: "mbarrier.complete_tx.relaxed.cta.shared::cta.b64",
};

const stepText = ([what, n]: Step, bar: string): string => `${texts[what]} ${bar}, ${n};`;

/** What the manual says that is there after the steps. */
function held({ count, steps }: Scenario): {
  readonly parity: number;
  readonly pending: number;
  readonly expected: number;
  readonly bytes: number;
} {
  let [phase, pending, bytes] = [0, count, 0];
  for (const [what, n] of steps) {
    if (what === "arrive") pending -= n;
    else bytes += what === "expect" ? n : -n;
    if (pending === 0 && bytes === 0) [phase, pending] = [phase + 1, count];
  }
  return { parity: phase & 1, pending, expected: count, bytes };
}

/** Bytes first: the last arrival ends the phase, or the last byte does where no arrival is pending. */
function restOf(scenario: Scenario): readonly Step[] {
  const { pending, bytes } = held(scenario);
  return [...(bytes > 0 ? [complete(bytes)] : bytes < 0 ? [expectTx(-bytes)] : []), ...(pending > 0 ? [arrive(pending)] : [])];
}

const ask = (bar: string): string => `mbarrier.inval.shared::cta.b64 ${bar};
  ld.relaxed.cta.shared.b64 %rd2, ${bar};`;

const isOver = (bar: string, parity: number): string => `mbarrier.test_wait.parity.shared::cta.b64 %p1, ${bar}, ${parity};
  selp.u32 %r1, 1, 0, %p1;`;

function scenarioText(scenario: Scenario, i: number): string {
  const bar = `[bars+${8 * i}]`;
  const { parity } = held(scenario);
  return [
    `mbarrier.init.shared.b64 ${bar}, ${scenario.count};`,
    ...scenario.steps.map((step) => stepText(step, bar)),
    ask(bar),
    `st.global.b64 [%rd1+${16 * i}], %rd2;`,
    isOver(bar, parity),
    `st.global.b32 [%rd1+${16 * i + 8}], %r1;`,
    ...restOf(scenario).map((step) => stepText(step, bar)),
    isOver(bar, parity),
    `st.global.b32 [%rd1+${16 * i + 12}], %r1;`,
  ].join("\n  ");
}

const textOf = (barriers: number, body: string): string => `.version 8.0
.target sm_90a
.address_size 64
.visible .entry states(.param .u64 out, .param .u32 none)
{
  .reg .b64 %rd<4>;
  .reg .b32 %r<4>;
  .reg .pred %p<3>;
  .shared .align 8 .b8 bars[${8 * barriers}];
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r3, [none];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r2, %tid.x;
  ${body}
  ret;
}
`;

/** Warp 1 waits; warp 0 asks a thousand times with all its lanes, then lane 0 arrives. */
const polled = `setp.eq.u32 %p2, %r2, 0;
  @%p2 mbarrier.init.shared.b64 [bars], 1;
  bar.sync 0;
  setp.ge.u32 %p2, %r2, 32;
  @%p2 bra waits;
  mov.u32 %r1, 0;
again:
  ${ask("[bars]")}
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p1, %r1, 1000;
  @%p1 bra again;
  setp.eq.u32 %p2, %r2, 0;
  @%p2 st.global.b64 [%rd1], %rd2;
  @%p2 ${stepText(arrive(1), "[bars]")}
  ret;
waits:
  mbarrier.try_wait.parity.shared::cta.b64 %p1, [bars], 0;
  @!%p1 bra waits;
  mov.u32 %r1, 1;
  st.global.b32 [%rd1+8], %r1;`;

/** 1 of 1 arrivals has come and 8192 bytes have not. */
const arrivalOfNone = `mbarrier.init.shared.b64 [bars], 1;
  ${stepText(expectTx(8192), "[bars]")}
  ${stepText(arrive(1), "[bars]")}
  mbarrier.arrive.shared::cta.b64 %rd2, [bars], %r3;
  st.global.b64 [%rd1], %rd2;
  ${stepText(complete(8192), "[bars]")}
  ${isOver("[bars]", 0)}
  st.global.b32 [%rd1+8], %r1;`;

await using gpu = await openDevice("cuda");

async function run(text: string, barriers: number, block: number): Promise<BigUint64Array> {
  const out = gpu.zeros("u64", [2 * barriers]);
  loadPtx(textOf(barriers, text)).entry("states").launch({ grid: 1, block }, out, 0);
  return (await out.read()) as BigUint64Array;
}

function judge(what: string, state: bigint, fits: boolean, more: string): void {
  if (!fits) process.exitCode = 1;
  console.log(`${fits ? "ok   " : "other"} ${what.padEnd(44)} 0x${state.toString(16).padStart(16, "0")}  ${more}`);
}

const found = await run(scenarios.map(scenarioText).join("\n  "), scenarios.length, 1);
for (const [i, scenario] of scenarios.entries()) {
  const [state = 0n, over = 0n] = found.slice(2 * i, 2 * i + 2);
  const [right, read] = [held(scenario), decodeState(state)];
  const fits = JSON.stringify(right) === JSON.stringify(read) && over === 1n << 32n;
  const steps = [`init ${scenario.count}`, ...scenario.steps.map((step) => step.join(" "))].join(", ");
  judge(steps, state, fits, `holds ${JSON.stringify(right)}; over before and after the rest: ${over & 1n}, ${over >> 32n}`);
}
const [asked = 0n, ended = 0n] = await run(polled, 1, 64);
judge("asked while a warp waits", asked, ended === 1n && decodeState(asked).pending === 1, `it has gone on: ${ended}`);
const [none = 0n, over = 0n] = await run(arrivalOfNone, 1, 1);
judge("an arrival of 0 where bytes alone are pending", none, over === 1n, `over: ${over}`);
