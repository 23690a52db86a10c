/**
 * Candidates are launched in processes of their own: one that hangs is killed with its process, one that faults ruins nothing but that, and the others go on in a new one.
 */
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ownModule } from "../../base/own-files.ts";
import type { Verdict } from "../../kernel/tune/index.ts";
import type { Answer, Ask, WorkerSpec } from "./messages.ts";
import type { Candidate } from "./types.ts";

/** What the workers run, and how long they may be silent, in seconds. */
export interface Workplace {
  readonly spec: WorkerSpec;
  readonly patience: number;
  /** The module of a worker: another one in tests. */
  readonly module?: string;
}

/** A worker that cannot begin: there is nothing to tune on. */
export class NoWorker extends Error {}

const usualModule = fileURLToPath(ownModule("kernels/tune/worker"));
/** Seconds until a worker has its device and its operands. */
const opening = 120;
const mostSaid = 4000;

class Worker {
  readonly #child: ChildProcess;
  readonly #patience: number;
  #said = "";
  #over = false;
  #hears: (answer: Answer | undefined) => void = () => {};

  constructor({ spec, patience, module = usualModule }: Workplace) {
    this.#patience = patience;
    this.#child = fork(module, [JSON.stringify(spec)], { stdio: ["ignore", "ignore", "pipe", "ipc"] });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#said = (this.#said + text).slice(-mostSaid);
    });
    this.#child.on("message", (answer: Answer) => this.#hears(answer));
    for (const event of ["close", "error"])
      this.#child.on(event, () => {
        this.#over = true;
        this.#hears(undefined);
      });
  }

  /** Waits for an answer: "silent" where it takes too long, undefined where the process has ended. */
  async #answer(seconds: number): Promise<Answer | "silent" | undefined> {
    if (this.#over) return undefined;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<"silent">((resolve) => {
      timer = setTimeout(() => resolve("silent"), seconds * 1000);
    });
    const heard = new Promise<Answer | undefined>((resolve) => {
      this.#hears = resolve;
    });
    return Promise.race([heard, late]).finally(() => clearTimeout(timer));
  }

  /** How the process ended, as the end of a sentence. */
  get #ending(): string {
    const { signalCode, exitCode } = this.#child;
    const last = this.#said.trimEnd().split("\n").at(-1) ?? "";
    return `its process ended with ${signalCode ?? `status ${exitCode}`}${last === "" ? "" : `: ${last}`}`;
  }

  async begin(): Promise<Extract<Answer, { answer: "ready" }>> {
    const answer = await this.#answer(opening);
    if (answer !== undefined && answer !== "silent" && answer.answer === "ready") return answer;
    this.end();
    if (answer === "silent") throw new NoWorker(`a worker had no device after ${opening} s`);
    throw new NoWorker(answer?.answer === "failed" ? answer.reason : this.#ending);
  }

  async ask(what: Ask, seconds = this.#patience): Promise<Answer | Verdict> {
    this.#child.send(what, () => {});
    const answer = await this.#answer(seconds);
    if (answer === "silent") return { outcome: "hangs", reason: `it had not ended after ${seconds} s` };
    return answer ?? { outcome: "faults", reason: this.#ending };
  }

  end(): void {
    this.#child.kill("SIGKILL");
  }
}

const verdictOf = (said: Answer | Verdict): Verdict => {
  if ("outcome" in said) return said;
  if (said.answer === "verdict") return said.verdict;
  return { outcome: "faults", reason: said.answer === "failed" ? said.reason : `it answered ${said.answer}` };
};

/** Whether the process can go on: what hangs or faults leaves a device that nobody can use. */
const isSound = ({ outcome }: Verdict): boolean => outcome !== "hangs" && outcome !== "faults";

/** Asks a worker what it has; another one is there for what follows. Throws `NoWorker`. */
export async function describeDevice(place: Workplace): Promise<Extract<Answer, { answer: "ready" }>> {
  const worker = new Worker(place);
  try {
    return await worker.begin();
  } finally {
    worker.end();
  }
}

/** How the candidates are launched once each. */
export interface Verifying {
  /** Processes at a time. */
  readonly jobs: number;
  /** Those that have not begun when it says so are left out. */
  readonly isOver: () => boolean;
  readonly onVerdict: (candidate: Candidate, verdict: Verdict) => void;
}

/** Launches each once, and compares. */
export async function verifyAll(place: Workplace, candidates: readonly Candidate[], how: Verifying): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    let worker: Worker | undefined;
    try {
      while (next < candidates.length && !how.isOver()) {
        const candidate = candidates[next++] as Candidate;
        if (!worker) {
          worker = new Worker(place);
          await worker.begin();
        }
        const verdict = verdictOf(await worker.ask({ ask: "verify", candidate }));
        how.onVerdict(candidate, verdict);
        if (isSound(verdict)) continue;
        worker.end();
        worker = undefined;
      }
    } finally {
      worker?.end();
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(how.jobs, candidates.length)) }, work));
}

/**
 * Microseconds of each, in turns with all others in one process, for about so many seconds. They were right before: where one ruins the process all the same, it is not known which, and
 * nothing was measured. Throws `NoWorker`.
 */
export async function timeAll(
  place: Workplace,
  candidates: readonly Candidate[],
  seconds: number,
): Promise<readonly (number | null)[]> {
  const worker = new Worker(place);
  try {
    await worker.begin();
    const said = await worker.ask({ ask: "time", candidates, seconds }, place.patience * (1 + candidates.length) + 10 * seconds);
    if ("answer" in said && said.answer === "times") return said.times;
    throw new NoWorker(`the candidates that were right could not be timed: ${verdictOf(said).reason}`);
  } finally {
    worker.end();
  }
}
