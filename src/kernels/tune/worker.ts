/** A process of `warpsmith tune`: it has a device and the operands of a problem, and launches the candidates that it is asked about. */
import { type Device, openDevice, WarpsmithError } from "warpsmith";
import { tune } from "warpsmith/schedule";
import { firstLine, type Verdict, works } from "../../kernel/tune/index.ts";
import { families } from "./families.ts";
import type { Answer, Ask, WorkerSpec } from "./messages.ts";
import type { Bench, Candidate } from "./types.ts";

const send = (answer: Answer): Promise<void> => new Promise((done) => process.send?.(answer, () => done()));

const textOf = (error: unknown): string =>
  error instanceof WarpsmithError ? firstLine(error) : error instanceof Error ? error.message : String(error);

async function verdictOn(device: Device, bench: Bench, candidate: Candidate): Promise<Verdict> {
  try {
    const reason = await bench.verify(candidate);
    return reason === undefined ? { outcome: "right" } : { outcome: "wrong", reason };
  } catch (error) {
    return { outcome: works(device) ? "refused" : "faults", reason: textOf(error) };
  }
}

/** In turns, each with a cold L2 cache. */
async function timesOf(device: Device, bench: Bench, { candidates, seconds }: Extract<Ask, { ask: "time" }>): Promise<Answer> {
  const [first] = candidates;
  if (first === undefined) return { answer: "times", times: [] };
  const right = bench.make(first);
  const { trials } = await tune({ candidate: candidates }, ({ candidate }) => bench.make(candidate), {
    device,
    args: [],
    reference: () => right.kernel.launch({}, ...right.args),
    results: [bench.sample],
    seconds,
    keep: false,
  });
  return { answer: "times", times: trials.map(({ time }) => time ?? null) };
}

async function begin(): Promise<void> {
  const spec = JSON.parse(process.argv[2] ?? "{}") as WorkerSpec;
  const family = families.find(({ name }) => name === spec.family);
  if (!family) throw new Error(`there is no family ${spec.family}`);
  const device = await openDevice(spec.device as Parameters<typeof openDevice>[0]);
  const bench = await family.open(device, spec.problem);
  const { name, multiprocessors, kind } = device;
  process.on("message", async (what: Ask) => {
    try {
      await send(
        what.ask === "verify"
          ? { answer: "verdict", verdict: await verdictOn(device, bench, what.candidate) }
          : await timesOf(device, bench, what),
      );
    } catch (error) {
      await send({ answer: "failed", reason: textOf(error) });
    }
  });
  await send({ answer: "ready", device: name, multiprocessors, emulated: kind === "emulator" });
}

try {
  await begin();
} catch (error) {
  await send({ answer: "failed", reason: textOf(error) });
  process.exit(1);
}
