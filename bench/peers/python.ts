import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";

/** The next line that the process prints, as JSON; rejects where it ends first. */
export function answersOf(child: ChildProcessWithoutNullStreams): () => Promise<Record<string, unknown>> {
  const iterator = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const complaints: string[] = [];
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaints.push(text);
    if (complaints.length > 20) complaints.shift();
  });
  return async () => {
    const { value, done } = await iterator.next();
    if (done) throw new Error(`python3 ended: ${complaints.join("").trim().split("\n").at(-1) ?? ""}`);
    return JSON.parse(value) as Record<string, unknown>;
  };
}
