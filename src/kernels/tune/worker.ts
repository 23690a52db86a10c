/** A process of `warpsmith tune`: it has a device and the operands of a problem, and launches the candidates that it is asked about. */
import { type Device, openDevice, WarpsmithError } from "warpsmith";
import { tune } from "warpsmith/schedule";
import { families } from "./families.ts";
import type { Answer, Ask, Verdict, WorkerSpec } from "./messages.ts";
import type { Bench, Candidate } from "./types.ts";

const send = (answer: Answer): Promise<void> => new Promise((done) => process.send?.(answer, () => done()));

const textOf = (error: unknown): string =>
  error instanceof WarpsmithError
    ? `${error.code} ${error.sentence.split("\n", 1)[0]}`
    : error instanceof Error
      ? error.message
      : String(error);

/** Whether the device still does what it is told. */
async function works(device: Device): Promise<boolean> {
  try {
    using probe = device.tensor("i32", [2], [1, 2]);
    return (await probe.read()).join() === "1,2";
  } catch {
    return false;
  }
}

async function verdictOn(device: Device, bench: Bench, candidate: Candidate): Promise<Verdict> {
  try {
    const reason = await bench.verify(candidate);
    return reason === undefined ? { outcome: "right" } : { outcome: "wrong", reason };
  } catch (error) {
    return { outcome: (await works(device)) ? "refused" : "faults", reason: textOf(error) };
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
  const timeOf = (candidate: Candidate): number | null =>
    trials.find(({ config }) => config.candidate === candidate)?.time ?? null;
  return { answer: "times", times: candidates.map(timeOf) };
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
