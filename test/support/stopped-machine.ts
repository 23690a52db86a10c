// A machine whose GPU stops the kernel `fails`, for cases of errors.
import { type Kernel, type Tensor, tensorSpec } from "warpsmith";
import type { FakeOptions } from "../unit/cuda/fake-driver.ts";
import { dumpAt, type WrittenDump, type WrittenWarp, writeDump } from "./written-dump.ts";

const machine = (dumps: () => Uint8Array): FakeOptions => ({
  version: 13_000,
  coreDumps: true,
  kernels: { fails: { parameterBytes: [8], dumps } },
});

type Stop = Pick<WrittenWarp, "exception" | "trapped"> & Partial<Pick<WrittenWarp, "threads">>;

/** It stops threads of block (2, 0, 0), 5 and 6 where nothing else is said, at the first line of the kernel's PTX that matches. */
export const stoppedAt = (fails: Kernel<[x: Tensor<"i32", 1>]>, instruction: RegExp, stop: Stop): FakeOptions =>
  machine(() =>
    dumpAt(fails.compile(tensorSpec("i32", [64])).ptx, instruction, {
      block: [2, 0, 0],
      threads: [
        [5, 0, 0],
        [6, 0, 0],
      ],
      ...stop,
    }),
  );

/** It stops the kernel when its warps are gone. */
export const stoppedAtEnd = (exceptionOfAll: NonNullable<WrittenDump["exceptionOfAll"]>): FakeOptions =>
  machine(() => writeDump({ entry: "fails", warps: [], exceptionOfAll }));
