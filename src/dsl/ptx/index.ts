export { type PtxOperand, type PtxOptions, type PtxResult, type PtxTypes, ptx } from "./ptx.ts";
