/** `compile(…).report()`: what is known of a kernel's arguments, and who says what an assembler made of it. */

import { checkOptions, display, optionsOf } from "../base/diag/index.ts";
import { elementBytes } from "../base/element-types.ts";
import type { Dim3, TensorSpec } from "../base/types.ts";
import { dynamicExtents } from "../dsl/index.ts";
import {
  type AssembledKernel,
  type GpuName,
  gpuNames,
  gpus,
  isGpuName,
  type KernelReport,
  makeReport,
  type ParameterFacts,
  readAssemblerLog,
} from "../inspect/report/index.ts";
import type { Literal } from "../ir/index.ts";
import { backendOf, countElements, normalizeDim, openDevices } from "../runtime/index.ts";
import type { Arguments } from "./arguments.ts";
import { fail } from "./errors.ts";
import type { Instance } from "./instance.ts";
import { load } from "./load.ts";
import type { KernelSource } from "./source.ts";
import { titleOf } from "./stages.ts";
import type { Assembled } from "./toolkit.ts";
import type { ReportOptions } from "./types.ts";

const known = optionsOf<ReportOptions>("report()", { grid: true, us: true, gpu: true });

/** W2601, W2602, W7046. */
function checkReportOptions(options: ReportOptions): void {
  checkOptions(options, known);
  const refuse = (option: string, given: unknown, expected: string) =>
    fail("W7046", { of: "report()", option, given: display(given), expected });
  const { us, gpu } = options;
  if (us !== undefined && !(typeof us === "number" && Number.isFinite(us) && us > 0))
    refuse("us", us, "a number of microseconds above 0, such as the median that bench() gives");
  if (gpu !== undefined && !isGpuName(gpu)) refuse("gpu", gpu, gpuNames.map((name) => `"${name}"`).join(" or "));
}

const bytesOf = ({ dtype, shape }: TensorSpec): number => countElements(shape) * elementBytes[dtype];

/** What is known of each parameter, in the order of the graph's: as `pack` writes them. */
function parameterFacts({ params, values }: Arguments): readonly ParameterFacts[] {
  return params.flatMap((param, i): readonly ParameterFacts[] => {
    const { name } = param;
    if (param.kind === "scalar") {
      const value = values[i];
      const literal = typeof value === "number" || typeof value === "bigint" || typeof value === "boolean" ? value : undefined;
      return [{ name, value: literalOf(param.type, literal) }];
    }
    const spec: TensorSpec = param.kind === "tma" ? param.tma.tensor : param.spec;
    const { shape, strides } = dynamicExtents(spec.rank, param.dynamic);
    const box = param.kind === "tma" ? { boxBytes: param.tma.bytes } : {};
    const extents = param.kind === "tma" ? param.tma.shape : spec.shape;
    return [
      { name, bytes: bytesOf(spec), ...box },
      ...shape.map((d) => ({ name: `${name}.shape[${d}]`, value: extents[d] })),
      ...(param.kind === "tma" ? [] : strides.map((d) => ({ name: `${name}.strides[${d}]`, value: spec.strides[d] }))),
    ];
  });
}

/** A scalar as graphs have it: 64-bit integers are bigint, predicates boolean. */
function literalOf(type: string, value: Literal | undefined): Literal | undefined {
  if (value === undefined) return undefined;
  if (type === "i64" || type === "u64") return BigInt(value);
  return type === "pred" ? Boolean(value) : Number(value);
}

/** What a report needs beside its options. */
export interface ReportSubject {
  readonly source: KernelSource;
  readonly sorted: Arguments;
  readonly instance: Instance;
  /** As the kernel's options say it. */
  readonly grid: Dim3 | undefined;
  readonly assembled: () => Assembled | undefined;
}

/** The first CUDA device that is open. */
const openGpu = () => openDevices().find(({ kind }) => kind === "cuda");

/** What the driver made of the kernel, where a device is open that it can be loaded on. */
function onDevice({ source, sorted, instance }: ReportSubject): AssembledKernel | undefined {
  const device = openGpu();
  if (!device) return undefined;
  const { registers, spillBytes, staticSharedBytes, assemblerLog } = load(source, sorted, instance, backendOf(device));
  const told = readAssemblerLog(assemblerLog ?? "");
  return { by: "device", log: { ...told, registers, staticSharedBytes, stackBytes: spillBytes } };
}

const gpuOf = (name: string): GpuName | undefined => gpuNames.find((gpu) => gpus[gpu].device.test(name));

/** W2601, W7015, W7046. */
export function reportOf(subject: ReportSubject, options: ReportOptions = {}): KernelReport {
  checkReportOptions(options);
  const { source, sorted, instance } = subject;
  const grid = options.grid === undefined ? subject.grid : normalizeDim(`The grid of ${source.name}`, options.grid);
  const made = subject.assembled();
  const { graph, remarks } = instance.artifact();
  return makeReport({
    title: titleOf({ name: source.name, params: sorted.params }),
    place: source.span,
    graph,
    entry: instance.entry,
    parameters: parameterFacts(sorted),
    sharedBytes: instance.sharedBytes,
    grid,
    assembled: made ? { by: "ptxas", log: made.log, cubin: made.cubin } : onDevice(subject),
    remarks: remarks(),
    gpu: options.gpu ?? gpuOf(openGpu()?.name ?? "") ?? "H200",
    us: options.us,
  });
}
