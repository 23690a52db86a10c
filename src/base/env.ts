/**
 * Every environment variable that the package reads, at most eleven (docs/decisions/0030). Whatever changes a program is a compile option and never stands
 * here. This module imports nothing, so a wrong value is given back as a problem; who reads it makes the error.
 */

/** Which device `openDevice()` takes when its argument does not say. */
export type DeviceChoice = "emulator" | "cuda" | `cuda:${number}`;

/** Which checks kernels run under on the emulator. */
export type CheckChoice = "off" | "normal" | "strict";

/** What decides on the emulator whatever the machine leaves open: a number is a seed. */
export type ScheduleChoice = "eager" | "lazy" | "torn" | number;

/** What is shown of the stages of each kernel that is compiled. */
export interface StagesChoice {
  /** Print them to stderr: all, or those with one name; each whole, or as a diff to the one before. */
  readonly print?: { readonly diff: boolean; readonly only?: string };
  /** The file that gets a page with all of them when the process ends. */
  readonly page?: string;
  /** Print to stderr what the compiler did that costs something. */
  readonly remarks?: true;
  /** Run no kernel: write what each costs on a GPU of that name to a file, as lines of JSON. */
  readonly explain?: { readonly gpu: string; readonly file: string };
}

/** Whether launches on a GPU are watched, and for how many seconds one may stand still. */
export type WatchChoice = "on" | "off" | number;

/** What a variable holds that it may not hold. */
export interface EnvironmentProblem {
  readonly variable: string;
  readonly value: string;
  /** What it may hold, as the end of a sentence. */
  readonly expected: string;
}

export interface Environment {
  /** `WARPSMITH_DEVICE`: `emulator`, `cuda` or `cuda:<number>`. Unset: the first CUDA device of compute capability 9.0, else the emulator. */
  readonly device: DeviceChoice | undefined;
  /** `WARPSMITH_CACHE`: the directory of transformed files, of kernels that have a `cacheKey`, and of those that `WARPSMITH_PTXAS` assembled, or `off`. Unset: `warpsmith` in the user's cache directory. */
  readonly cache: string | undefined;
  /** `WARPSMITH_PTXAS`: the path of a `ptxas` that assembles the kernels instead of the driver's. */
  readonly ptxas: string | undefined;
  /** `WARPSMITH_VERIFY`: `each` checks the op graph after every pass of the compiler. Unset: before the first and after the last. */
  readonly verify: "each" | undefined;
  /** `WARPSMITH_CHECK`: `off`, `normal` or `strict`. Unset: `normal`. What `openDevice` is told goes first. */
  readonly check: CheckChoice | undefined;
  /** `WARPSMITH_SEED`: `eager`, `lazy`, `torn` or a whole number below 2 ** 32. Unset: `eager`. What `openDevice` is told goes first. */
  readonly schedule: ScheduleChoice | undefined;
  /** `WARPSMITH_SEED=replay:<file>`: the file with the choices of an earlier run. */
  readonly replay: string | undefined;
  /**
   * `WARPSMITH_RECORD`: the file that gets what the emulator chose, and which launches failed, when the process ends. With it,
   * `WARPSMITH_CHECK` and `WARPSMITH_SEED` go before what `openDevice` is told.
   */
  readonly record: string | undefined;
  /**
   * `WARPSMITH_PROFILE`: the file that gets the profile of every launch when the process ends: a page if its name ends in
   * `.html`, a trace for Perfetto if in `.json`.
   */
  readonly profile: string | undefined;
  /**
   * `WARPSMITH_STAGES`: `remarks` prints what the compiler did that costs something, `all`, `diff` or `after:<name>` what each kernel is after the passes of the
   * compiler; `page:<file>` is the page that gets it when the process ends. Several stand in this order, with commas between them. `explain:<gpu>:<file>` stands alone: kernels are compiled and not run, and the file gets what each of them costs.
   */
  readonly stages: StagesChoice | undefined;
  /** `WARPSMITH_WATCH`: `on`, `off`, or the seconds for which a launch on a GPU may stand still before it counts as hung. Unset: kernels with `debug: true` are watched. What a launch says goes first. Where it is set, and not `off`, the driver also writes core dumps, which name the line of a kernel that a GPU stops. */
  readonly watch: WatchChoice | undefined;
  /** `WARPSMITH_AUTOTUNE`: `print` writes what `autotune` chooses, and the times, to stderr. */
  readonly autotune: "print" | undefined;
}

type Variables = Readonly<Record<string, string | undefined>>;

export const deviceChoicePattern = /^(emulator|cuda|cuda:(0|[1-9]\d{0,3}))$/;

const isDeviceChoice = (text: string): text is DeviceChoice => deviceChoicePattern.test(text);

/** Where the user's caches live: XDG's directory, Windows' local one, or `~/.cache`. Undefined where there is no home. */
function userCacheDirectory(variables: Variables): string | undefined {
  if (variables.XDG_CACHE_HOME) return variables.XDG_CACHE_HOME;
  if (variables.LOCALAPPDATA) return variables.LOCALAPPDATA;
  return variables.HOME ? `${variables.HOME}/.cache` : undefined;
}

function cacheDirectory(variables: Variables): string | undefined {
  const value = variables.WARPSMITH_CACHE;
  if (value === "off") return undefined;
  if (value) return value;
  const base = userCacheDirectory(variables);
  return base === undefined ? undefined : `${base}/warpsmith`;
}

export type EnvironmentReading =
  | { readonly values: Environment; readonly problem?: undefined }
  | { readonly values?: undefined; readonly problem: EnvironmentProblem };

const checks: readonly string[] = ["off", "normal", "strict"];
const isCheckChoice = (text: string): text is CheckChoice => checks.includes(text);

const replayMark = "replay:";
const seedPattern = /^(0|[1-9]\d{0,9})$/;

/** Undefined where the text is no schedule. */
function scheduleOf(text: string): Pick<Environment, "schedule" | "replay"> | undefined {
  if (text === "eager" || text === "lazy" || text === "torn") return { schedule: text, replay: undefined };
  if (seedPattern.test(text) && Number(text) < 2 ** 32) return { schedule: Number(text), replay: undefined };
  const file = text.startsWith(replayMark) ? text.slice(replayMark.length) : "";
  return file ? { schedule: undefined, replay: file } : undefined;
}

const stagesPattern = /^(?!,)(?:(remarks)(?=,.|$),?)?(?:(all|diff)|after:([\w-]+))?(?:(?:^|,|(?<=^remarks,))page:(.+))?$/s;

const explainPattern = /^explain:(\w+):(.+)$/s;

const stagesExpected = '"remarks", "all", "diff", "after:" and a name, "page:" and a file, or "explain:", a GPU, ":" and a file';

/** Undefined where the text is none. */
function stagesOf(text: string): StagesChoice | undefined {
  const [, gpu, file] = explainPattern.exec(text) ?? [];
  if (gpu && file) return { explain: { gpu, file } };
  const found = stagesPattern.exec(text);
  if (!found) return undefined;
  const [, remarks, how, only, page] = found;
  return {
    ...(remarks ? { remarks: true } : {}),
    ...(how || only ? { print: { diff: how === "diff", ...(only ? { only } : {}) } } : {}),
    ...(page ? { page } : {}),
  };
}

/** Undefined where the text is none. */
function watchOf(text: string): WatchChoice | undefined {
  if (text === "on" || text === "off") return text;
  return /^\d+(\.\d+)?$/.test(text) && Number(text) > 0 ? Number(text) : undefined;
}

/** An empty value counts as unset. `cache` comes with its default filled in, undefined where there is to be none. */
export function readEnvironment(variables: Variables = globalThis.process?.env ?? {}): EnvironmentReading {
  const device = variables.WARPSMITH_DEVICE || undefined;
  if (device !== undefined && !isDeviceChoice(device)) {
    return { problem: { variable: "WARPSMITH_DEVICE", value: device, expected: '"emulator", "cuda" or "cuda:" and a number' } };
  }
  const verify = variables.WARPSMITH_VERIFY || undefined;
  if (verify !== undefined && verify !== "each")
    return { problem: { variable: "WARPSMITH_VERIFY", value: verify, expected: '"each"' } };
  const check = variables.WARPSMITH_CHECK || undefined;
  if (check !== undefined && !isCheckChoice(check))
    return { problem: { variable: "WARPSMITH_CHECK", value: check, expected: '"off", "normal" or "strict"' } };
  const seed = variables.WARPSMITH_SEED || undefined;
  const schedule = seed === undefined ? { schedule: undefined, replay: undefined } : scheduleOf(seed);
  if (schedule === undefined) {
    const expected = '"eager", "lazy", "torn", a whole number below 2 ** 32, or "replay:" and a file';
    return { problem: { variable: "WARPSMITH_SEED", value: seed ?? "", expected } };
  }
  const shown = variables.WARPSMITH_STAGES || undefined;
  const stages = shown === undefined ? undefined : stagesOf(shown);
  if (shown !== undefined && stages === undefined)
    return { problem: { variable: "WARPSMITH_STAGES", value: shown, expected: stagesExpected } };
  const profile = variables.WARPSMITH_PROFILE || undefined;
  if (profile !== undefined && !/\.(html|json)$/.test(profile))
    return { problem: { variable: "WARPSMITH_PROFILE", value: profile, expected: 'a file that ends in ".html" or ".json"' } };
  const watching = variables.WARPSMITH_WATCH || undefined;
  const watch = watching === undefined ? undefined : watchOf(watching);
  if (watching !== undefined && watch === undefined)
    return { problem: { variable: "WARPSMITH_WATCH", value: watching, expected: '"on", "off" or a number of seconds' } };
  const autotune = variables.WARPSMITH_AUTOTUNE || undefined;
  if (autotune !== undefined && autotune !== "print")
    return { problem: { variable: "WARPSMITH_AUTOTUNE", value: autotune, expected: '"print"' } };
  return {
    values: {
      device,
      cache: cacheDirectory(variables),
      ptxas: variables.WARPSMITH_PTXAS || undefined,
      verify,
      check,
      ...schedule,
      record: variables.WARPSMITH_RECORD || undefined,
      profile,
      stages,
      watch,
      autotune,
    },
  };
}
