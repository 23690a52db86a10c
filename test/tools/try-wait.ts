// How long a try of `mbarrier.try_wait` waits that fails (one that does not would stop the launch), in clocks of the multiprocessor: without a time, and with times from 100 ns to 10 ms. Each line has eight tries.
//
//   node --import warpsmith/register test/tools/try-wait.ts [--device cuda]
import { parseArgs } from "node:util";
import { openDevice } from "warpsmith";
import { loadPtx } from "warpsmith/ptx";

const { values: options } = parseArgs({ options: { device: { type: "string", default: "cuda" } } });
const tries = 8;
const times = [undefined, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000] as const;

const tryText = (time: number | undefined, place: number): string => `mov.u32 %r1, %clock;
  mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0${time === undefined ? "" : `, ${time}`};
  @%p1 trap;
  mov.u32 %r2, %clock;
  sub.u32 %r2, %r2, %r1;
  st.global.b32 [%rd1+${4 * place}], %r2;`;

const text = `.version 8.6
.target sm_90a
.address_size 64
.visible .entry tries(.param .u64 out)
{
  .reg .pred %p<2>;
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  .shared .align 8 .b8 bar[8];
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd1, %rd1;
  mbarrier.init.shared.b64 [bar], 1;
  ${times.flatMap((time, i) => Array.from({ length: tries }, (_, n) => tryText(time, i * tries + n))).join("\n  ")}
  ret;
}
`;

await using gpu = await openDevice(options.device as "cuda");
using out = gpu.zeros("u32", [times.length * tries]);
loadPtx(text).entry("tries").launch({ grid: 1, block: 1 }, out);
const clocks = [...(await out.read())];
for (const [i, time] of times.entries())
  console.log(`${time === undefined ? "no time" : `${time} ns`}: ${clocks.slice(i * tries, (i + 1) * tries).join(" ")}`);
