// The ceiling of products by mma.sync: kernels of `mma-sync-kernel.ts` beside cublasLt, f16 [M, K] @ [K, N] by rows.
//
//   npm run bench:mma-sync -- --out <file>                   every plan at 2048, 4096 and 8192, then the best ones at 1024, 1280, …, 16384
//   npm run bench:mma-sync -- --only sweep --out <file>      the first half alone
//   npm run bench:mma-sync -- --from <file> --out <file>     the second half alone, with the plans that such a record chose
//
// `--seconds S` (1): time for all contenders of a variant at a size of the first half, a quarter of that in the second; half as much again for choosing
// among cublasLt's algorithms. Writes a record with an entry for each plan and size, cublasLt's among them. `ofLt` is the time of cublasLt's best over this one's.
import { parseArgs } from "node:util";
import { type Device, openDevice } from "warpsmith";
import { openSession } from "./arena.ts";
import type { Arena } from "./contenders.ts";
import { methods } from "./methods.ts";
import { type Found, foundIn, mmaSyncEntries } from "./mma-sync-entry.ts";
import { type MmaPlan, mmaPlanName } from "./mma-sync-kernel.ts";
import { measureProducts, type PlanRecord, planCandidate, type VariantRecords } from "./mma-sync-measure.ts";
import { type Variant, variants } from "./mma-sync-plans.ts";
import { type Compilation, keepAssembled, prepare } from "./mma-sync-prepare.ts";
import { report } from "./mma-sync-report.ts";
import { readRecord, writeRecord } from "./record.ts";
import { headOf } from "./record-head.ts";
import { geometricMean } from "./stats.ts";

const sweepSizes = [2048, 4096, 8192];
const allSizes = Array.from({ length: 61 }, (_, i) => 1024 + 256 * i);
/** How many plans of a variant are timed at all sizes. */
const kept = 2;

/** The best plan by the geometric mean of its times, and the best one at the smallest size, where they differ; else the second. */
function choose({ plans }: Variant, sweep: VariantRecords): readonly string[] {
  const bySize = Object.values(sweep);
  const timesOf = (name: string): readonly number[] =>
    bySize.flatMap((records) =>
      records.flatMap(({ plan, us, correct }) => (plan === name && correct && us !== null ? [us] : [])),
    );
  const whole = plans.map(mmaPlanName).filter((name) => bySize.length > 0 && timesOf(name).length === bySize.length);
  const ranked = whole.toSorted((x, y) => geometricMean(timesOf(x)) - geometricMean(timesOf(y)));
  const [quickest] = whole.toSorted((x, y) => (timesOf(x)[0] ?? 0) - (timesOf(y)[0] ?? 0));
  const [best] = ranked;
  return [...new Set([best, quickest, ...ranked])].filter((name) => name !== undefined).slice(0, kept);
}

const named = ({ plans }: Variant, names: readonly string[]): readonly MmaPlan[] =>
  plans.filter((plan) => names.includes(mmaPlanName(plan)));

interface Run {
  readonly device: Device;
  readonly arena: Arena;
  readonly seconds: number;
  /** Writes what there is so far. */
  readonly save: () => void;
}

/** Compiles in other processes, then measures the plans of all variants at these sizes. */
async function measureAll(
  { device, arena, seconds, save }: Run,
  sizes: readonly number[],
  plansOf: (variant: Variant) => readonly MmaPlan[],
  put: (variant: Variant, size: number, records: readonly PlanRecord[]) => void,
): Promise<void> {
  const begin = performance.now();
  const work = variants.flatMap((variant) => plansOf(variant).map((plan): Compilation => ({ plan, out: variant.out, sizes })));
  const failed = await prepare(work);
  console.log(`compiled ${work.length} plans at ${sizes.length} sizes in ${((performance.now() - begin) / 1000).toFixed(0)} s`);
  for (const { name, reason } of failed) console.log(`left out: ${name}: ${reason}`);
  const isLeftOut = (plan: MmaPlan, { out }: Variant): boolean =>
    failed.some(({ name }) => name === `${mmaPlanName(plan)} ${plan.sum} ${out}`);
  for (const size of sizes) {
    for (const variant of variants) {
      const plans = plansOf(variant).filter((plan) => !isLeftOut(plan, variant));
      const records = await measureProducts(device, arena, {
        out: variant.out,
        candidates: plans.map(planCandidate),
        size,
        seconds,
      });
      put(variant, size, records);
      report(variant, size, records);
    }
    save();
  }
  console.log(`measured in ${((performance.now() - begin) / 1000).toFixed(0)} s, compiling included\n`);
}

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      out: { type: "string" },
      only: { type: "string" },
      from: { type: "string" },
      seconds: { type: "string", default: "1" },
    },
  });
  const { out, only, from } = options;
  if (out === undefined) throw new Error("--out names the file that the record is written to");
  const before = from === undefined ? undefined : foundIn(readRecord(from).entries);
  const found = Object.fromEntries(
    variants.map(({ name }): [string, Found] => [name, before?.[name] ?? { sweep: {}, chosen: [], sizes: {} }]),
  );
  const of = ({ name }: Variant): Found => found[name] as Found;
  keepAssembled();
  await using device = await openDevice("cuda");
  using session = openSession(device);
  const save = (): void => writeRecord(out, { ...headOf(session.header, methods.mmaSync), entries: mmaSyncEntries(found) });
  const run: Run = { device, arena: session.arena, seconds: Number(options.seconds), save };
  if (!before) {
    await measureAll(
      run,
      sweepSizes,
      ({ plans }) => plans,
      (variant, size, records) => {
        of(variant).sweep = { ...of(variant).sweep, [size]: records };
      },
    );
    for (const variant of variants) {
      of(variant).chosen = choose(variant, of(variant).sweep);
      console.log(`${variant.name}: ${of(variant).chosen.join(" | ") || "no plan ran"}`);
    }
    save();
  }
  if (only !== "sweep")
    await measureAll(
      { ...run, seconds: run.seconds / 4 },
      allSizes,
      (variant) => named(variant, of(variant).chosen),
      (variant, size, records) => {
        of(variant).sizes = { ...of(variant).sizes, [size]: records };
      },
    );
  console.log(`written to ${out}`);
}

if (process.argv[1] === import.meta.filename) await main();
