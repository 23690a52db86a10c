import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Device } from "warpsmith";
import { type AnyKernel, type Case, defineCase, type Setup } from "../cases/case.ts";

/** A kernel that never ends, as an author gets it wrong. */
export interface Hang {
  readonly name: string;
  /** The file that the kernel is written in, its last part. */
  readonly file: string;
  /** Lines of it where threads wait for ever, those that end in `// hangs`: a report names all of them, and one of them first. */
  readonly lines: readonly number[];
  /** Those that end in `// hangs on the emulator`, where lanes of a warp that hangs go on without it. On a GPU they need not have come there. */
  readonly emulatorLines: readonly number[];
  /** What else the report's text says: which barrier, and what it lacks. */
  readonly says: readonly RegExp[];
  /** What the emulator says beside that: the author's name of the barrier; what a loop that polls has found, and where. */
  readonly finds: readonly RegExp[];
  /** The emulator's error. */
  readonly code: string;
  readonly case: Case;
}

interface Given extends Omit<Setup, "then"> {
  readonly name: string;
  readonly file: string;
  readonly kernel: AnyKernel;
  /** Default: nothing. */
  readonly says?: readonly RegExp[];
  readonly finds?: readonly RegExp[];
  /** Launches of the same kernel that follow. */
  readonly behind?: Setup["then"];
  /** Default: W9001. */
  readonly code?: string;
}

function linesOf(file: string): { readonly lines: readonly number[]; readonly emulatorLines: readonly number[] } {
  const text = readFileSync(file, "utf8").split("\n");
  const marked = (mark: string): readonly number[] => text.flatMap((line, i) => (line.endsWith(mark) ? [i + 1] : []));
  const found = marked("// hangs");
  if (found.length === 0) throw new Error(`${basename(file)} does not say where its kernel hangs`);
  return { lines: found, emulatorLines: marked("// hangs on the emulator") };
}

export function hang({ name, file, kernel, says = [], finds = [], code = "W9001", behind: then = [], ...setup }: Given): Hang {
  const made = defineCase(name, kernel, () => ({ ...setup, then }));
  return { name, file: basename(file), ...linesOf(file), says, finds, code, case: made };
}

interface Reported {
  readonly code: string;
  readonly message: string;
  readonly spans: readonly { readonly file: string; readonly line: number }[];
}

const isReport = (error: unknown): error is Reported =>
  error instanceof Error && "code" in error && "spans" in error && /^W\d{4}$/.test(String(error.code));

/** What is wrong with what a launch of it threw; undefined where it is the report that the case asks for. */
export function mistaken({ file, code, ...hang }: Hang, error: unknown, device: Device["kind"]): string | undefined {
  if (error === undefined) return "nothing was reported";
  if (!isReport(error)) return `not a report: ${error instanceof Error ? error.message : String(error)}`;
  const { message, spans } = error;
  const [first] = spans;
  const onEmulator = device === "emulator";
  const lines = onEmulator ? [...hang.lines, ...hang.emulatorLines] : hang.lines;
  const says = onEmulator ? [...hang.says, ...hang.finds] : hang.says;
  const named = (line: number): boolean =>
    spans.some((span) => span.file.endsWith(file) && span.line === line) || new RegExp(`${file}:${line}(?!\\d)`).test(message);
  const problems = [
    ...(onEmulator && error.code !== code ? [`${error.code} instead of ${code}`] : []),
    ...(first?.file.endsWith(file) && lines.includes(first.line)
      ? []
      : [`reported at ${first?.file}:${first?.line} instead of ${file}:${lines.join(" or ")}`]),
    ...lines.filter((line) => !named(line)).map((line) => `it does not name line ${line}`),
    ...says.filter((what) => !what.test(message)).map((what) => `it does not say ${what.source}`),
  ];
  return problems.length === 0 ? undefined : `${problems.join("; ")}:\n${message}`;
}
