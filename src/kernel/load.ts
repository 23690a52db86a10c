import { readEnvironment } from "../base/env.ts";
import { assemblerRemarks, readAssemblerLog } from "../inspect/report/index.ts";
import type { DeviceBackend, LoadedModule } from "../runtime/index.ts";
import type { Arguments } from "./arguments.ts";
import type { Instance } from "./instance.ts";
import { parameterBytes } from "./parameters.ts";
import type { KernelSource } from "./source.ts";
import { assemble } from "./toolkit.ts";

/** Prints what the driver's assembler says, where remarks are asked for and there is no ptxas that has said it before. */
function tellOf({ assemblerLog }: LoadedModule, { ptx, options, artifact }: Instance): void {
  if (!assemblerLog || !readEnvironment().values?.stages?.remarks || assemble(ptx, options.target)) return;
  for (const remark of assemblerRemarks(readAssemblerLog(assemblerLog), [], artifact().graph)) console.error(String(remark));
}

/** The kernel on a device, loaded there where it is not yet. */
export function load(source: KernelSource, sorted: Arguments, instance: Instance, backend: DeviceBackend): LoadedModule {
  const known = instance.modules.get(backend);
  if (known) return known;
  const module = backend.loadModule(instance.ptx, {
    entry: instance.entry,
    kernel: source.name,
    parameterBytes: parameterBytes(sorted, instance.hidden),
    dynamicSharedBytes: instance.sharedBytes,
    nonPortableCluster: source.options.nonPortableCluster ?? false,
    ofLoops: source.derived !== undefined,
    profiled: instance.options.profile === "marks",
  });
  instance.modules.set(backend, module);
  tellOf(module, instance);
  return module;
}
