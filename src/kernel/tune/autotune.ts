/** `autotune`: the first launch for a key times the configurations. The choices stay in this process; those of `tune` are kept on disk (base/tuned-choices.ts). */
import { checkOptions, display, isClass, optionsOf, placeOnStack, WarpsmithError } from "../../base/diag/index.ts";
import type { Profile } from "../../inspect/profile/written.ts";
import { chooseDevice, type Device, type DeviceTensor, isDeviceTensor, refuseInCapture } from "../../runtime/index.ts";
import { type Arguments, completing, sortArguments } from "../arguments.ts";
import { fail } from "../errors.ts";
import { tensorsOf } from "../launch.ts";
import { checkBenchConfig, checkLaunchConfig, checkProfileConfig, Launcher } from "../launcher.ts";
import type {
  AutotuneChoice,
  AutotuneOptions,
  AutotuneTrial,
  BenchConfig,
  Kernel,
  LaunchConfig,
  ProfileConfig,
  Timing,
  TunedKernel,
} from "../types.ts";
import { kernelValue } from "../value.ts";
import { announce, Candidate, refuseAll } from "./candidate.ts";
import { type Ready, searchHere } from "./in-process.ts";
import { runAtOnce } from "./search.ts";
import { sayNothingIsMeasured } from "./table.ts";
import type { TuneTrial } from "./types.ts";

// biome-ignore lint/suspicious/noExplicitAny: a kernel of whatever parameters
type Any = any;
type Options = AutotuneOptions<Any[]>;

const knownOptions = optionsOf<Options>("autotune()", { key: true, skip: true, restore: true });

/** The search's words as those of `autotune`. Only `skip` prunes here, and none is wrong, as nothing is compared. */
const outcomes: Readonly<Record<TuneTrial["outcome"], AutotuneTrial["outcome"]>> = {
  measured: "measured",
  "chosen without measuring": "chosen without measuring",
  pruned: "skipped",
  refused: "refused",
  wrong: "refused",
  "not tried": "not tried",
};

const refuse = (option: string, given: string, expected: string): never =>
  fail("W7046", { of: "autotune()", option, given, expected });

/** What an option of the author's has given. W7046. */
const checked = <T>(option: string, given: unknown, is: (x: unknown) => x is T, expected: string): T =>
  is(given) ? given : refuse(option, `a function that gives ${display(given)}`, `a function that gives ${expected}`);

/** W2601, W2602, W7046, W7540. */
function checkGiven(configs: unknown, make: unknown, options: Options): void {
  if (!(Array.isArray(configs) && configs.length > 0))
    fail("W7540", { what: "first argument", given: display(configs), expected: "a list of at least one configuration" });
  if (typeof make !== "function" || isClass(make))
    fail("W7540", { what: "second argument", given: display(make), expected: "a function that makes a kernel" });
  checkOptions(options, knownOptions);
  for (const option of ["key", "skip", "restore"] as const) {
    const value: unknown = options[option];
    if (value !== undefined && (typeof value !== "function" || isClass(value)))
      refuse(option, display(value), "a function of the kernel's arguments");
  }
}

class Tuner {
  readonly #candidates: readonly Candidate[];
  readonly #options: Options;
  /** What launches go through, by device and key. */
  readonly #chosen = new WeakMap<Device, Map<string, Launcher>>();
  /** Those that are in use, the one used last first. No launch that was measured went through them: what they have launched before was chosen. */
  readonly #launchers: Launcher[] = [];
  readonly #choices: AutotuneChoice[] = [];
  /** What `compile` takes where no device says otherwise. */
  readonly #byKey = new Map<string, Candidate>();
  /** The options of the last launch; at first none that anybody has. */
  #checked: LaunchConfig = {};

  constructor(candidates: readonly Candidate[], options: Options) {
    this.#candidates = candidates;
    this.#options = { ...options };
  }

  get choices(): readonly AutotuneChoice[] {
    return [...this.#choices];
  }

  /** The first configuration of which a kernel can be made: all of them have the same parameters. W7542. */
  get first(): Candidate {
    const errors = () => this.#candidates.map(({ config, error }) => ({ config, error }));
    return this.#candidates.find(({ error }) => !error) ?? refuseAll("autotune()", errors());
  }

  launch(config: LaunchConfig, args: readonly unknown[]): void {
    if (config !== this.#checked) checkLaunchConfig(config);
    this.#checked = config;
    if (!this.#options.key && this.#launchers.some((launcher) => launcher.launchAgain(config, args))) return;
    this.#launcher(config, args).launch(config, args);
  }

  /** What the kernel that is chosen for these arguments gives. */
  #later<C extends LaunchConfig, T>(
    check: (config: C) => void,
    config: C,
    args: readonly unknown[],
    use: (of: Launcher) => Promise<T>,
  ): Promise<T> {
    let launcher: Launcher;
    try {
      check(config);
      launcher = this.#launcher(config, args);
    } catch (error) {
      // Not in the promise, as with a kernel: a rejected one that nobody awaits would end the process.
      if (error instanceof WarpsmithError && error.code === "W7029") throw error;
      return Promise.reject(error);
    }
    return use(launcher);
  }

  bench(config: BenchConfig, args: readonly unknown[]): Promise<Timing> {
    return this.#later(checkBenchConfig, config, args, (launcher) => launcher.bench(config, args));
  }

  profile(config: ProfileConfig, args: readonly unknown[]): Promise<Profile> {
    return this.#later(checkProfileConfig, config, args, (launcher) => launcher.profile(config, args));
  }

  /** What `use` makes of the kernel that was chosen for these arguments, else of the first that it can be made of. W7542. */
  of<T>(args: readonly unknown[], use: (kernel: Kernel<Any[]>) => T): T {
    const { first } = this;
    const known = this.#byKey.get(this.#key(sortArguments(first.parts.source, args), args));
    if (known) return use(known.kernel);
    const trials: Pick<AutotuneTrial, "config" | "error">[] = [];
    for (const candidate of this.#candidates) {
      const { config } = candidate;
      if (this.#skips(candidate, args)) trials.push({ config, error: undefined });
      else
        try {
          return use(candidate.kernel);
        } catch (error) {
          if (!(error instanceof WarpsmithError)) throw error;
          trials.push({ config, error });
        }
    }
    return refuseAll(first.kernel.name, trials);
  }

  #key(sorted: Arguments, args: readonly unknown[]): string {
    const { key } = this.#options;
    if (!key) return sorted.key;
    return checked("key", key(...args), (x) => typeof x === "string", "a string");
  }

  #skips({ config }: Candidate, args: readonly unknown[]): boolean {
    const { skip } = this.#options;
    return skip !== undefined && checked("skip", skip(config, ...args) ?? false, (x) => typeof x === "boolean", "true or false");
  }

  #restored(args: readonly unknown[]): readonly DeviceTensor[] {
    const areTensors = (x: unknown): x is DeviceTensor[] => Array.isArray(x) && x.every(isDeviceTensor);
    return checked("restore", this.#options.restore?.(...args) ?? [], areTensors, "a list of tensors of a device");
  }

  /** What launches with these arguments go through; chooses where they have a new key. */
  #launcher(config: LaunchConfig, args: readonly unknown[]): Launcher {
    const { source } = this.first.parts;
    const sorted = sortArguments(source, args);
    const key = this.#key(sorted, args);
    const device = chooseDevice(tensorsOf(source, sorted), config.device);
    const known = this.#chosen.get(device) ?? new Map<string, Launcher>();
    this.#chosen.set(device, known);
    let chosen = known.get(key);
    if (!chosen) {
      refuseInCapture(device, `Choosing a configuration of ${source.name}`, placeOnStack());
      chosen = this.#choose(key, device, config, args);
      known.set(key, chosen);
    }
    this.#bringForward(chosen);
    return chosen;
  }

  #bringForward(launcher: Launcher): void {
    const at = this.#launchers.indexOf(launcher);
    if (at !== 0) this.#launchers.unshift(...(at > 0 ? this.#launchers.splice(at, 1) : [launcher]));
  }

  /** Measures, and takes the fastest. W7542. */
  #choose(key: string, device: Device, config: LaunchConfig, args: readonly unknown[]): Launcher {
    const found = runAtOnce(
      searchHere<Candidate>({
        ...{ options: { device, ...(config.stream && { stream: config.stream }) }, candidates: this.#candidates },
        skips: (candidate) => this.#skips(candidate, args),
        ready: (candidate) => this.#trial(candidate, config, args),
        restored: () => this.#restored(args),
      }),
    );
    const trials = found.trials.map((trial): AutotuneTrial => {
      const { outcome, time, error } = trial;
      return { config: trial.config.config, outcome: outcomes[outcome], time, error };
    });
    const { name } = this.first.kernel;
    if (!found.best) return refuseAll(name, trials);
    const candidate = found.best.config;
    const choice: AutotuneChoice = { key, device: device.name, config: candidate.config, trials };
    this.#choices.push(choice);
    this.#byKey.set(key, candidate);
    if (device.kind === "emulator" && trials.length > 1)
      sayNothingIsMeasured("autotune", `${name} takes the first configuration that it can use, and so do all others`);
    announce(name, choice);
    return candidate.launcher;
  }

  /** Launches as the author asked, by itself: its lines are not shown, and nothing overlaps. */
  #trial(candidate: Candidate, config: LaunchConfig, args: readonly unknown[]): Ready {
    const launcher = new Launcher(candidate.parts);
    const prepared = launcher.prepare(config, args);
    const alone: LaunchConfig = { ...config, overlapPrevious: false, onLog: () => {} };
    return { kernel: candidate.kernel, launch: () => void launcher.start(prepared, alone) };
  }
}

/** See `autotune`. W2601, W2602, W7046, W7540. */
export function makeTuned<C, P extends readonly unknown[]>(
  configs: readonly C[],
  make: (config: C) => Kernel<P>,
  options: AutotuneOptions<P, C>,
): TunedKernel<P, C>;
// Of configurations and arguments it knows nothing but where they go: those of `configs` to `make`, and those of a launch to the kernels.
export function makeTuned(configs: readonly unknown[], make: (config: unknown) => unknown, options: Options): TunedKernel<Any[]> {
  checkGiven(configs, make, options);
  const tuner = new Tuner(
    configs.map((config) => new Candidate(config, make)),
    options,
  );
  let completes: ReturnType<typeof completing> | undefined;
  const complete = (args: readonly unknown[]): readonly unknown[] => {
    completes ??= completing(tuner.first.parts.source);
    return completes(args);
  };
  const tuned: TunedKernel<Any[]> = kernelValue<TunedKernel<Any[]>>({
    get name() {
      return tuner.first.kernel.name;
    },
    launch: (config, ...args) => tuner.launch(config, complete(args)),
    compile: (...args) => tuner.of(complete(args), (kernel) => kernel.compile(...args)),
    trace: (...args) => tuner.of(complete(args), (kernel) => kernel.trace(...args)),
    at: (...args) => ({ kernel: tuned, args: complete(args), open: true }),
    bench: (config, ...args) => tuner.bench(config, complete(args)),
    profile: (config, ...args) => tuner.profile(config, complete(args)),
    choices: () => tuner.choices,
  });
  return tuned;
}
