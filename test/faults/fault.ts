import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Device, DeviceTensor, LaunchConfig } from "warpsmith";

type I32 = DeviceTensor<"i32", 1>;

/** A kernel that a GPU stops. */
export interface Fault {
  readonly name: string;
  /** Launches it over 1024 zeros. */
  launch(x: I32, config: LaunchConfig): void;
  /** What a GPU says. */
  readonly gpu: string;
  /** What the emulator says. */
  readonly emulator: string;
  /** Who did it, as a GPU's report says it. */
  readonly who: RegExp;
  /** A GPU does not say where: W7761. */
  readonly noLine?: true;
}

export const elements = 1024;

const file = "kernels.ts";
const text = readFileSync(join(import.meta.dirname, file), "utf8").split("\n");

/** The line that is marked `// faults: <name>`. */
export function lineOf(name: string): number {
  const found = text.findIndex((line) => line.endsWith(`// faults: ${name}`));
  if (found < 0) throw new Error(`${file} has no line of ${name}`);
  return found + 1;
}

/** What a launch of it threw; undefined where it threw nothing. */
export async function thrownBy({ launch }: Fault, device: Device, config: LaunchConfig = {}): Promise<unknown> {
  const x = device.zeros("i32", [elements]);
  try {
    launch(x, config);
    await x.read();
  } catch (error) {
    return error;
  }
  return undefined;
}

interface Reported {
  readonly code: string;
  readonly message: string;
  readonly spans: readonly { readonly file: string; readonly line: number }[];
}

const isReport = (error: unknown): error is Reported =>
  error instanceof Error && "code" in error && "spans" in error && /^W\d{4}$/.test(String(error.code));

/** What is wrong with it; undefined where it is the report that is asked for. */
export function mistaken(fault: Fault, error: unknown, device: Device["kind"]): string | undefined {
  if (error === undefined) return "nothing was reported";
  if (!isReport(error)) return `not a report: ${error instanceof Error ? error.message : String(error)}`;
  const onGpu = device === "cuda";
  const code = onGpu ? fault.gpu : fault.emulator;
  const [first] = error.spans;
  const line = lineOf(fault.name);
  const atLine = first !== undefined && basename(first.file) === file && first.line === line;
  const problems = [
    ...(error.code === code ? [] : [`${error.code} instead of ${code}`]),
    ...(atLine || (onGpu && fault.noLine) ? [] : [`reported at ${first?.file}:${first?.line} instead of ${file}:${line}`]),
    ...(!onGpu || fault.who.test(error.message) ? [] : [`it does not say ${fault.who.source}`]),
  ];
  return problems.length === 0 ? undefined : `${problems.join("; ")}:\n${error.message}`;
}
