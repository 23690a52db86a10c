import koffi from "koffi";

const ptx = `.version 8.0
.target sm_90
.address_size 64
.visible .entry empty(.param .u64 p) { ret; }
`;

/** A launch of an empty kernel with one parameter. */
export interface BareLaunch {
  /** By cuLaunchKernel. */
  launch(): void;
  /** By cuLaunchKernelEx, as launches in clusters and those that overlap the kernel before them need it. */
  launchEx(): void;
}

/** CUlaunchConfig (56 bytes) of a grid of one block of 32 threads, in the default stream, with no attributes. */
const launchConfig = new Uint32Array([1, 1, 1, 32, 1, 1, ...new Array<number>(8).fill(0)]);

/** Bare launches through the same FFI, in the current context: what a launch cannot cost less than. */
export function bareLaunch(): BareLaunch {
  const cuda = koffi.load(process.platform === "win32" ? "nvcuda.dll" : "libcuda.so.1");
  const moduleLoad = cuda.func("int cuModuleLoadData(_Out_ void **module, const char *image)");
  const getFunction = cuda.func("int cuModuleGetFunction(_Out_ void **function, void *module, const char *name)");
  const launchKernel = cuda.func(
    "int cuLaunchKernel(void *f, uint gx, uint gy, uint gz, uint bx, uint by, uint bz, uint shared, void *stream, void *params, void *extra)",
  );
  const launchKernelEx = cuda.func("int cuLaunchKernelEx(void *config, void *f, void *params, void *extra)");
  const ok = (code: number): void => {
    if (code !== 0) throw new Error(`the driver answered ${code}`);
  };
  const module: unknown[] = [null],
    func: unknown[] = [null];
  ok(moduleLoad(module, ptx));
  ok(getFunction(func, module[0], "empty"));
  const value = Buffer.alloc(8),
    pointers = Buffer.alloc(8);
  pointers.writeBigUInt64LE(BigInt(koffi.address(value)));
  const f = func[0];
  return {
    launch: () => ok(launchKernel(f, 1, 1, 1, 32, 1, 1, 0, null, pointers, null)),
    launchEx: () => ok(launchKernelEx(launchConfig, f, pointers, null)),
  };
}
