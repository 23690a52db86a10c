import { defineErrors } from "../../base/diag/index.ts";

const needs = "run on a machine with an NVIDIA H100, H200 or GH200 (compute capability 9.0) and a driver of CUDA 12.0 or newer";

/** W8xxx: devices, and what fails on them. */
export const deviceErrors = defineErrors({
  W8001: {
    message: (a: { cuda: string; emulator: string }) => `There is no device to run kernels on: ${a.cuda}, and ${a.emulator}.`,
    fix: () => `${needs}; kernel.compile(…) gives the PTX without any device`,
  },
  W8002: {
    message: (a: { reason: string }) => `The emulator cannot be used: ${a.reason}.`,
    fix: () => `leave WARPSMITH_DEVICE unset and ${needs}`,
  },
  W8003: {
    message: (a: { reason: string }) => `No CUDA device can be used: ${a.reason}.`,
    fix: () => needs,
  },
  W8004: {
    message: (a: { which: string; reason: string }) => `The device ${a.which} cannot be used: ${a.reason}.`,
    fix: () => "choose another with cuda:0, cuda:1 …, or leave the choice to openDevice()",
  },
  W8005: {
    message: (a: { bytes: number; device: string; free: string }) =>
      `${a.device} has no room for ${a.bytes} more bytes${a.free}.`,
    fix: () => "dispose tensors that are no longer used, or use smaller ones",
  },
  W8006: {
    message: (a: { kernel: string; reason: string; log: string }) => `The PTX of ${a.kernel} was refused: ${a.reason}.${a.log}`,
    fix: () =>
      "report this: the compiler should have refused the kernel first. A newer driver may also help where it names a PTX version",
    inPtx: {
      fix: () => "see what the reason and the log name; a newer driver may help where it is the PTX version",
    },
  },
  W8007: {
    message: (a: { kernel: string; reason: string }) => `The launch of ${a.kernel} was refused: ${a.reason}.`,
    fix: () => "check its grid, block, cluster and shared memory against what this device has",
  },
  W8009: {
    message: (a: { device: string; cause: string }) => `${a.device} was lost and does nothing more: ${a.cause}`,
    fix: () =>
      "start the program again: CUDA gives a process no device after such a failure; what was read before it is still good",
  },
  W8010: {
    message: (a: { what: string; reason: string }) => `The device refused to ${a.what}: ${a.reason}.`,
    fix: () => "see the reason; if it names a limit of the device, use less of it",
  },
});
