import { checkOptions, optionsOf, placeOnStack } from "../../base/diag/index.ts";
import { defaultTarget } from "../../base/target.ts";
import type { Dim3 } from "../../base/types.ts";
import { shortName } from "../../ptx/parse/index.ts";
import {
  addressOf,
  checkFits,
  checkLaunchShape,
  chooseDevice,
  elementBytes,
  type NamedMemory,
  normalizeDim,
  prepareStream,
  spanElements,
} from "../../runtime/index.ts";
import { valuesOf } from "./arguments.ts";
import type { DeviceModule, DeviceModules } from "./device-modules.ts";
import { fail } from "./errors.ts";
import type { PtxEntry, PtxLaunchConfig } from "./types.ts";
import type { Value } from "./values.ts";

const launchOptions = optionsOf<PtxLaunchConfig>("launch()", {
  grid: true,
  block: true,
  cluster: true,
  smem: true,
  device: true,
  stream: true,
  overlapPrevious: true,
  cooperative: true,
});

interface Shape {
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly cluster: Dim3;
  readonly sharedBytes: number;
  readonly nonPortableCluster: boolean;
}

/** W7015–W7021, W7812. */
function shapeOf(entry: PtxEntry, config: PtxLaunchConfig): Shape {
  const name = shortName(entry.name);
  const { smem: sharedBytes = 0 } = config;
  const grid = normalizeDim(`The grid of ${name}`, config.grid);
  const block = config.block === undefined ? entry.block : normalizeDim(`The block of ${name}`, config.block);
  if (!block) return fail("W7812", { entry: name });
  const cluster =
    config.cluster === undefined ? (entry.cluster ?? [1, 1, 1]) : normalizeDim(`The cluster of ${name}`, config.cluster);
  const nonPortableCluster = cluster.reduce((n, extent) => n * extent, 1) > defaultTarget.limits.portableCluster;
  const shape: Shape = { grid, block, cluster, sharedBytes, nonPortableCluster };
  checkLaunchShape(shape, defaultTarget);
  return shape;
}

/** What messages call a parameter: compilers number theirs. */
const parameterName = (name: string): string => name.replace(/^.*_param_(\d+)$/, "parameter $1");

/** The tensors of a launch under the names of their parameters, for an emulator that finds an access beside them. */
function memoriesOf({ parameters }: PtxEntry, values: readonly Value[]): readonly NamedMemory[] {
  return values.flatMap((value, i) =>
    value.tensors.map((tensor): NamedMemory => {
      const bytes = elementBytes(tensor.dtype);
      return {
        name: parameterName(parameters[i]?.name ?? ""),
        space: "global",
        begin: Number(addressOf(tensor)),
        bytes: spanElements(tensor.shape, tensor.strides) * bytes,
        elements: { bytes, shape: tensor.shape },
      };
    }),
  );
}

function parametersOf({ backend }: DeviceModule, module: ReturnType<DeviceModule["kernel"]>, values: readonly Value[]) {
  const parameters = backend.parameters(module);
  values.forEach((value, i) => {
    const view = parameters.views[i];
    if (view) new Uint8Array(view.buffer, view.byteOffset, view.byteLength).set(value.encode(backend));
  });
  return parameters;
}

/** Checks everything, loads what is new, and enqueues. */
export function launchEntry(entry: PtxEntry, modules: DeviceModules, config: PtxLaunchConfig, args: readonly unknown[]): void {
  checkOptions(config, launchOptions);
  const values = valuesOf(entry, args);
  const shape = shapeOf(entry, config);
  const tensors = values.flatMap((value) => value.tensors);
  const device = chooseDevice(tensors, config.device);
  const loaded = modules.on(device);
  const module = loaded.kernel({
    entry: entry.name,
    kernel: shortName(entry.name),
    parameterBytes: entry.parameters.map((p) => p.bytes),
    dynamicSharedBytes: shape.sharedBytes,
    nonPortableCluster: shape.nonPortableCluster,
  });
  checkFits(module, shape.block);
  const parameters = parametersOf(loaded, module, values);
  const stream = prepareStream(device, config.stream, [...tensors, loaded.memory.all]);
  const { grid, block, cluster, sharedBytes } = shape;
  loaded.backend.launch({
    module,
    parameters,
    grid,
    block,
    cluster,
    sharedBytes,
    stream,
    overlapPrevious: config.overlapPrevious ?? false,
    cooperative: config.cooperative ?? false,
    spans: placeOnStack(),
    memories: loaded.backend.kind === "emulator" ? memoriesOf(entry, values) : [],
  });
}
