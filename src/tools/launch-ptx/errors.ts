/** Errors of tools/launch-ptx: launches of PTX as text. */
import { defineErrors, type Fail, type MakeError, raising } from "../../base/diag/index.ts";
import { loadPtxErrors } from "../load-ptx/errors.ts";

export const launchPtxErrors = defineErrors({
  W7801: {
    message: (a: { text: string; reason: string }) => `The argument ${a.text} cannot be read: ${a.reason}.`,
    fix: () =>
      "write i32:7, f32:1.5, x=f32[64x128]:randn:1, f32[1024]:zeros:out, f32[8x4]:npy=x.npy, @x+256, tma:@x:f16[64x128]:box=64x64, tex:@x:f32[64x128]:linear or surf:@x:u8x4[64x128]",
  },
  W7802: {
    message: (a: { name: string; reason: string }) => `The buffer ${a.name} ${a.reason}.`,
    fix: (a) => `declare each buffer once, as an argument ${a.name}=f32[1024]:zeros or with --buffer, and point inside it`,
  },
  W7803: {
    message: (a: { name: string; what: string; given: number; expected: number }) =>
      `The buffer ${a.name} has ${a.expected} bytes, but ${a.what} has ${a.given}.`,
    fix: () => "give the buffer the element type and the count of what it is to hold",
  },
});

/** What this room raises: its own, and of rooms below. */
const raised = { ...loadPtxErrors, ...launchPtxErrors };

export type ErrorCode = keyof typeof raised;
export const makeError: MakeError<typeof raised> = raising(raised).makeError;
export const fail: Fail<typeof raised> = raising(raised).fail;
