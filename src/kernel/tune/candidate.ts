import { display, WarpsmithError } from "../../base/diag/index.ts";
import { readEnvironment } from "../../base/env.ts";
import { fail } from "../errors.ts";
import { type KernelParts, Launcher } from "../launcher.ts";
import type { AutotuneChoice, AutotuneTrial, Kernel } from "../types.ts";
import { partsOf } from "../value.ts";
import { configText, firstLine } from "./table.ts";

// biome-ignore lint/suspicious/noExplicitAny: a kernel of whatever parameters
type Any = any;

/** A kernel, or the reason why there is none. */
type Made = WarpsmithError | { readonly kernel: Kernel<Any[]>; readonly parts: KernelParts };

/** A configuration of `autotune`, and its kernel: made when it is first asked for. */
export class Candidate {
  readonly config: unknown;
  readonly #make: (config: unknown) => unknown;
  #made: Made | undefined;
  #launcher: Launcher | undefined;

  constructor(config: unknown, make: (config: unknown) => unknown) {
    this.config = config;
    this.#make = make;
  }

  /** Why none can be made. What is no error of this package goes on. */
  get error(): WarpsmithError | undefined {
    this.#made ??= this.#build();
    return this.#made instanceof WarpsmithError ? this.#made : undefined;
  }

  /** Throws the reason where there is none. */
  get kernel(): Kernel<Any[]> {
    return this.#orThrow().kernel;
  }

  /** Throws the reason where there are none. */
  get parts(): KernelParts {
    return this.#orThrow().parts;
  }

  /** What launches go through once it was chosen: none that was measured, so all that it has launched before was asked for. */
  get launcher(): Launcher {
    this.#launcher ??= new Launcher(this.parts);
    return this.#launcher;
  }

  #orThrow(): Exclude<Made, WarpsmithError> {
    this.#made ??= this.#build();
    if (this.#made instanceof WarpsmithError) throw this.#made;
    return this.#made;
  }

  #build(): Made {
    let kernel: unknown;
    try {
      kernel = this.#make(this.config);
    } catch (error) {
      if (error instanceof WarpsmithError) return error;
      throw error;
    }
    const parts = partsOf(kernel);
    if (!parts) return fail("W7541", { given: display(kernel) });
    return { kernel: kernel as Kernel<Any[]>, parts };
  }
}

type Reason = Pick<AutotuneTrial, "config" | "error">;
const reason = ({ error }: Reason): string => (error ? firstLine(error) : "left out by skip");

/** Refuses arguments that no configuration can be used for: with what all of them say, where they say the same. W7542. */
export function refuseAll(kernel: string, trials: readonly Reason[]): never {
  const errors = trials.flatMap(({ error }) => (error ? [error] : []));
  const [first, ...others] = errors;
  if (first && others.every(({ code, sentence }) => code === first.code && sentence === first.sentence)) throw first;
  const reasons = trials.map((trial) => `${configText(trial.config)}: ${reason(trial)}`);
  return fail("W7542", { kernel, reasons }, [], first && { cause: first });
}

const line = (trial: AutotuneTrial, chosen: boolean): string => {
  const { outcome, time, error } = trial;
  const said = time === undefined ? (error ? reason(trial) : outcome) : `${time.toFixed(2)} us`;
  return `  ${chosen ? "*" : " "} ${configText(trial.config)}: ${said}`;
};

/** Prints a choice where `WARPSMITH_AUTOTUNE` asks for it: the configurations with their times, `*` before the chosen one. */
export function announce(kernel: string, { key, device, config, trials }: AutotuneChoice): void {
  if (readEnvironment().values?.autotune !== "print") return;
  const lines = trials.map((trial) => line(trial, trial.config === config));
  console.error([`autotune: ${kernel} on ${device} for ${key}`, ...lines].join("\n"));
}
