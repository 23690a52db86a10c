/** Launches a kernel between random changes to what it reads: each launch finds what plain JavaScript finds, or is refused by a code. */
import type { Device, DeviceTensor } from "warpsmith";
import { around, byArgument, byFunction, expected, inArgument, reader, twice } from "./take.ts";
import { randomTrial, type Trial } from "./values.ts";

export type Verdict =
  | { readonly kind: "agrees"; readonly changed: boolean }
  | { readonly kind: "meaningless" }
  | { readonly kind: "refused"; readonly code: string }
  | { readonly kind: "stale" | "broken"; readonly why: string };

/** What launches with the trial's value, and with another like it. */
function launcher({ built, equal, path, way }: Trial, x: DeviceTensor<"i32", 1>): (times: number) => void {
  const { value } = built;
  switch (way) {
    case "argument":
      return () => byArgument.launch({}, x, value, path);
    case "in an argument": {
      const args = { list: [0, value] };
      return () => inArgument.launch({}, x, args, path);
    }
    case "twice":
      return () => twice.launch({}, x, value, value, path);
    case "around": {
      const made = around(value, path);
      return () => made.launch({}, x);
    }
    case "in a function": {
      const read = reader(value, path);
      return () => byFunction.launch({}, x, read);
    }
    case "as an equal": {
      byArgument.launch({}, x, equal.value, path);
      return (times) => byArgument.launch({}, x, times === 1 ? equal.value : value, path);
    }
    default:
      return way satisfies never;
  }
}

function wanted(value: object, path: Trial["path"]): number | undefined {
  try {
    return expected(value, path);
  } catch {
    return undefined;
  }
}

const errorOf = (error: unknown): Verdict => {
  if (error instanceof Error && error.name === "WarpsmithError")
    return { kind: "refused", code: (error as Error & { code: string }).code };
  return {
    kind: "broken",
    why: error instanceof Error ? (error.stack ?? error.message).split("\n").slice(0, 8).join("\n") : String(error),
  };
};

export async function judge(seed: number, device: Device): Promise<Verdict> {
  const trial = randomTrial(seed);
  const { built, equal, path, way, changes } = trial;
  using x = device.zeros("i32", [1]);
  let launch: ((times: number) => void) | undefined;
  const seen = new Set<number>();
  for (const [times, change] of [() => {}, ...changes].entries()) {
    try {
      change();
    } catch {
      return { kind: "meaningless" };
    }
    const asked = way === "as an equal" && times === 1 ? equal.value : built.value;
    const want = wanted(asked, path);
    if (want === undefined) return { kind: "meaningless" };
    try {
      launch ??= launcher(trial, x);
      launch(times);
    } catch (error) {
      return errorOf(error);
    }
    const [got] = await x.read();
    if (got !== want)
      return { kind: "stale", why: `launch ${times + 1} found ${got}, and JavaScript finds ${want}: ${way}, ${pathText(trial)}` };
    seen.add(want);
  }
  return { kind: "agrees", changed: seen.size > 1 };
}

const pathText = ({ path, changes }: Trial): string =>
  `${path.map(({ how, key, at }) => `${how} ${String(key ?? "")}${at ?? ""}`).join(", ")}; changes ${changes.map(String).join("; ")}`;
