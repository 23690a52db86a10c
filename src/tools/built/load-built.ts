import { checkOptions, optionsOf, placeOnStack, refuseMore, type Spans } from "../../base/diag/index.ts";
import type { Dim, Dim3 } from "../../base/types.ts";
import {
  addressOf,
  backendOf,
  checkFits,
  checkLaunchShape,
  chooseDevice,
  type Device,
  type DeviceBackend,
  type DeviceTensor,
  elementBytes,
  type LoadedModule,
  type NamedMemory,
  normalizeDim,
  prepareStream,
  type Stream,
  spanElements,
} from "../../runtime/index.ts";
import { checkArguments, type Named, numbersOf } from "./arguments.ts";
import { fail } from "./errors.ts";
import { evaluate } from "./grid.ts";
import type { BuildManifest, KernelManifest } from "./manifest.ts";
import { pack } from "./pack.ts";
import { folderPath, readBuiltFile, readManifest } from "./read-build.ts";

/** Where and how one launch of a built kernel runs: `{}` where there is nothing to say. W2601. */
export interface BuiltLaunchConfig {
  /** Blocks. Required where the manifest has no grid; else it comes before that. */
  readonly grid?: Dim;
  /** Needed only when no argument lives on a device and more than one device is open. */
  readonly device?: Device;
  /** Default: the device's own stream, in order. */
  readonly stream?: Stream;
  /** Let this kernel start before the previous one of its stream ends. W7518. */
  readonly overlapPrevious?: boolean;
}

/** A kernel of a build. */
export interface BuiltKernel<A extends readonly unknown[] = readonly unknown[]> {
  /** Its name in the build. */
  readonly name: string;
  /** What its manifest says. */
  readonly manifest: KernelManifest;
  /** Checks every argument and enqueues. Errors on the GPU surface at the next `read` or `sync`. W7015–W7024, W7732–W7737. */
  launch(config: BuiltLaunchConfig, ...args: A): void;
}

/** A build, ready to launch. */
export interface Built {
  /** What `manifest.json` says. */
  readonly manifest: BuildManifest;
  /** Its kernels, by name. */
  readonly kernels: Readonly<Record<string, BuiltKernel>>;
}

/** How a build is loaded. */
export interface LoadBuiltOptions {
  /** Refuse a manifest with another id: what a launcher gives that was written with it. W7734. */
  readonly id?: string;
}

const loadOptions = optionsOf<LoadBuiltOptions>("loadBuilt()", { id: true });
const launchOptions = optionsOf<BuiltLaunchConfig>("launch()", {
  grid: true,
  device: true,
  stream: true,
  overlapPrevious: true,
});

/**
 * The kernels of a folder that `warpsmith build` wrote, each file compared with its hash. Nothing is compiled: the device gets the cubin, or the PTX where it
 * takes none. The folder is a path or a URL of one. W2601, W7730–W7732, W7734.
 */
export function loadBuilt(folder: string | URL, options: LoadBuiltOptions = {}): Built {
  refuseMore(loadBuilt, arguments);
  checkOptions(options, loadOptions);
  const path = folderPath(folder);
  const manifest = readManifest(path, options.id);
  const kernels = Object.entries(manifest.kernels).map(([name, kernel]) => [name, openKernel(path, manifest, { name, kernel })]);
  return { manifest, kernels: Object.fromEntries(kernels) };
}

interface Code {
  readonly ptx: string;
  readonly image: Uint8Array | undefined;
}

function openKernel(folder: string, manifest: BuildManifest, named: Named): BuiltKernel {
  const { name, kernel } = named;
  const ptx = new TextDecoder().decode(readBuiltFile(folder, kernel.ptx));
  const image = kernel.cubin ? Uint8Array.from(readBuiltFile(folder, kernel.cubin)) : undefined;
  const modules = new WeakMap<DeviceBackend, LoadedModule>();
  const loaded = (backend: DeviceBackend): LoadedModule => {
    const known = modules.get(backend);
    if (known) return known;
    checkDevice(manifest, backend);
    const module = loadOn(backend, named, { ptx, image });
    modules.set(backend, module);
    return module;
  };
  return { name, manifest: kernel, launch: (config, ...args) => launch(named, loaded, config, args) };
}

/** W7733. */
function checkDevice({ device: { target, computeCapability, architecture } }: BuildManifest, backend: DeviceBackend): void {
  if (backend.target.name === target) return;
  const needed = `compute capability ${computeCapability.join(".")} (${architecture}, ${target})`;
  fail("W7733", { device: backend.name, given: backend.target.name, needed });
}

const loadOn = (backend: DeviceBackend, { name, kernel }: Named, { ptx, image }: Code): LoadedModule =>
  backend.loadModule(ptx, {
    entry: kernel.entry,
    kernel: name,
    parameterBytes: kernel.slots.map((slot) => slot.bytes),
    dynamicSharedBytes: kernel.sharedBytes,
    nonPortableCluster: kernel.nonPortableCluster,
    ...(image && { image }),
  });

/** W7015, W7737. */
function gridOf({ name, kernel }: Named, config: BuiltLaunchConfig, args: readonly unknown[]): Dim3 {
  if (config.grid !== undefined) return normalizeDim(`The grid of ${name}`, config.grid);
  if (!kernel.grid) return fail("W7737", { kernel: name });
  const numbers = numbersOf(args);
  const [x, y, z] = kernel.grid.map((formula) => evaluate(formula, numbers));
  return normalizeDim(`The grid of ${name}`, [x ?? 1, y ?? 1, z ?? 1]);
}

/** The tensors of a launch, for an emulator that finds an access beside them. */
function memoriesOf({ kernel }: Named, args: readonly unknown[]): readonly NamedMemory[] {
  return kernel.parameters.flatMap((parameter, i): NamedMemory[] => {
    if (parameter.kind === "scalar") return [];
    const tensor = args[i] as DeviceTensor;
    const size = elementBytes(tensor.dtype);
    const bytes = spanElements(tensor.shape, tensor.strides) * size;
    const begin = Number(addressOf(tensor));
    return [{ name: parameter.name, space: "global", begin, bytes, elements: { bytes: size, shape: tensor.shape } }];
  });
}

function launch(
  named: Named,
  loaded: (backend: DeviceBackend) => LoadedModule,
  config: BuiltLaunchConfig,
  args: readonly unknown[],
): void {
  const spans: Spans = placeOnStack();
  checkOptions(config, launchOptions);
  const { name, kernel } = named;
  const tensors = checkArguments(named, args);
  const device = chooseDevice(tensors, config.device);
  const backend = backendOf(device);
  const grid = gridOf(named, config, args);
  const { block, cluster, sharedBytes, nonPortableCluster, cooperative } = kernel;
  checkLaunchShape({ grid, block, cluster, nonPortableCluster, sharedBytes }, backend.target);
  if (config.overlapPrevious && !kernel.waitsForPrevious) fail("W7518", { kernel: name });
  const module = loaded(backend);
  checkFits(module, block);
  const parameters = backend.parameters(module);
  pack(named, args, backend, parameters.views);
  backend.launch({
    ...{ module, parameters, grid, block, cluster, sharedBytes, cooperative, spans },
    stream: prepareStream(device, config.stream, tensors),
    overlapPrevious: config.overlapPrevious ?? false,
    memories: backend.kind === "emulator" ? memoriesOf(named, args) : [],
  });
}
