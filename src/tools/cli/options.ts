/** The options of the commands, as they are given: what follows a flag is text until the command has read it. */

/** `warpsmith run` */
export interface RunOptions {
  readonly profile?: string;
  readonly printAfterAll?: "text" | "diff";
  readonly printAfter?: string;
  readonly stages?: string;
  readonly remarks?: true;
  readonly json?: true;
}

/** `warpsmith build` */
export interface BuildCommandOptions {
  readonly out: string;
  readonly for: string;
  readonly cubin: boolean;
  readonly json?: true;
}

/** `warpsmith check` */
export interface CheckOptions {
  readonly seeds: string;
  readonly strict?: true;
  readonly jobs: string;
  readonly seconds: string;
  readonly attempts: string;
  readonly out: string;
  readonly replay?: string;
  readonly json?: true;
}

/** `warpsmith emulate` */
export interface EmulateOptions {
  readonly entry?: string;
  readonly grid?: string;
  readonly block?: string;
  readonly cluster?: string;
  readonly smem?: string;
  readonly cooperative?: true;
  readonly buffer?: readonly string[];
  readonly args?: readonly string[];
  readonly out?: readonly string[];
  readonly save?: string;
  readonly device?: string;
  readonly check?: string;
  readonly warn?: true;
  readonly seed?: string;
  readonly launch?: string;
  readonly json?: true;
}

/** `warpsmith tune` */
export interface TuneOptions {
  readonly dtype: string;
  readonly layout: string;
  readonly budget: string;
  readonly jobs: string;
  readonly patience: string;
  readonly device?: string;
  readonly dry?: true;
  readonly json?: true;
}

/** `warpsmith explain` */
export interface ExplainOptions {
  readonly gpu: string;
  readonly dtype: string;
  readonly layout: string;
  readonly json?: true;
}
