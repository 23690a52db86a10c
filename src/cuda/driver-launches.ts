/** A launch as calls of the driver: where its parameters lie, `CUlaunchConfig` and its attributes, `cuLaunchKernelEx`. */
import type { Launch, ParameterBlock } from "../runtime/index.ts";
import { launchAttribute } from "./constants.ts";
import type { CudaContext, CudaStream } from "./context.ts";
import { fail } from "./errors.ts";
import type { CudaModule } from "./module-loader.ts";
import { describeResult, success } from "./results.ts";
import type { HostMemory } from "./symbols.ts";

/** Parameters of up to 64 bytes' alignment: tensor maps need it. */
const parameterAlignment = 64;

/** Memory that the driver reads a launch's arguments from. */
export class CudaParameters implements ParameterBlock {
  readonly views: readonly DataView[];
  /** `void **kernelParams`: where each parameter lies. */
  readonly pointers: BigUint64Array;

  constructor(memory: HostMemory, sizes: readonly number[]) {
    const slots = sizes.map((bytes) => Math.ceil(bytes / parameterAlignment) * parameterAlignment);
    const bytes = new Uint8Array(slots.reduce((sum, slot) => sum + slot, parameterAlignment));
    const base = memory.addressOf(bytes);
    let offset = Number(-base & BigInt(parameterAlignment - 1));
    const offsets = slots.map((slot) => {
      const at = offset;
      offset += slot;
      return at;
    });
    this.views = offsets.map((at, i) => new DataView(bytes.buffer, at, sizes[i] ?? 0));
    this.pointers = BigUint64Array.from(offsets, (at) => base + BigInt(at));
  }
}

/**
 * CUlaunchConfig (56 bytes) and three CUlaunchAttributes (72 bytes each), filled in for every launch that needs them:
 * grid at word 0, block at word 3, shared bytes at word 6, stream at byte 32, attributes at byte 40, their number at word 12;
 * an attribute has its id at word 0 and its value from word 2.
 */
const configBytes = 56;
const attributeWords = 18;

export class DriverLaunches {
  readonly #context: CudaContext;
  readonly #config = new Uint32Array(configBytes / 4);
  readonly #config64 = new BigUint64Array(this.#config.buffer);
  readonly #attributes = new Uint32Array(3 * attributeWords);

  constructor(context: CudaContext) {
    this.#context = context;
    this.#config64[5] = context.memory.addressOf(this.#attributes);
  }

  /** W8007 where the driver refuses; W8008 where an earlier launch turns out to have failed. */
  launch(launch: Launch, module: CudaModule, parameters: CudaParameters, stream: CudaStream): void {
    this.#context.enter();
    const code = this.#issue(launch, module, parameters, stream);
    if (code !== success) {
      this.#context.checkFatal(code);
      fail("W8007", { kernel: module.kernel, reason: describeResult(code) }, launch.spans);
    }
    stream.add(launch);
  }

  #issue(launch: Launch, module: CudaModule, parameters: CudaParameters, stream: CudaStream): number {
    const { grid, block, cluster, sharedBytes, overlapPrevious, cooperative = false } = launch;
    const { driver } = this.#context;
    const clustered = cluster[0] * cluster[1] * cluster[2] > 1;
    if (!clustered && !overlapPrevious && !cooperative) {
      return driver.cuLaunchKernel(
        module.handle,
        grid[0],
        grid[1],
        grid[2],
        block[0],
        block[1],
        block[2],
        sharedBytes,
        stream.handle,
        parameters.pointers,
        null,
      );
    }
    const config = this.#config;
    config.set(grid, 0);
    config.set(block, 3);
    config[6] = sharedBytes;
    this.#config64[4] = stream.handle;
    config[12] = this.#setAttributes(clustered ? cluster : undefined, overlapPrevious, cooperative);
    return driver.cuLaunchKernelEx(config, module.handle, parameters.pointers, null);
  }

  #setAttributes(cluster: readonly number[] | undefined, overlapPrevious: boolean, cooperative: boolean): number {
    const attributes = this.#attributes;
    attributes.fill(0);
    let count = 0;
    const add = (attribute: number, ...values: readonly number[]): void => {
      attributes[count * attributeWords] = attribute;
      attributes.set(values, count * attributeWords + 2);
      count++;
    };
    if (cluster) add(launchAttribute.clusterDimension, ...cluster);
    if (overlapPrevious) add(launchAttribute.programmaticStreamSerialization, 1);
    if (cooperative) add(launchAttribute.cooperative, 1);
    return count;
  }
}
