/**
 * The tracer, for those who generate kernels: `schedule` traces a program with the objects that authors have, and with what JavaScript's operators and
 * control flow are recorded as.
 */
export type { CallSite } from "./calls/call-site.ts";
export { branch, noVariables, type Variables } from "./control/branch.ts";
export { choose, shortCircuit } from "./control/choose.ts";
export { forOf } from "./control/for-of.ts";
export { range } from "./control/range.ts";
export { asyncCopy } from "./copies/index.ts";
export type { At, Block, FunctionMeta, Hooks, ModuleInfo, Vars } from "./hooks-interface.ts";
export { callMath } from "./math/index.ts";
export { type Place, type SharedView, sharedMemory, sharedPool, type Tensor } from "./memory/index.ts";
export { SharedViewObject } from "./memory/shared-view.ts";
export { TensorObject } from "./memory/tensor.ts";
export { truth } from "./numbers/compare.ts";
export { bf16, bitcast, bool, e4m3, e5m2, f16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64 } from "./numbers/conversions.ts";
export { convertTo } from "./numbers/convert.ts";
export { selectValue } from "./numbers/select.ts";
export { binary } from "./operators/binary.ts";
export { unary } from "./operators/unary.ts";
export { type ConsumerStage, Pipeline, type ProducerStage } from "./pipeline/index.ts";
export { fence, type Mbarrier, Mbarriers, type NamedBarrier, namedBarrier, syncThreads, syncWarp } from "./sync/index.ts";
export { blockIdx, threadIdx, warp, warpgroup } from "./threads/index.ts";
export { DotOperandLayout, type Layout, MMALayout, SliceLayout, SwizzledSharedLayout, tile, WGMMALayout } from "./tiles/index.ts";
export { denseRows, type Placing, placingOf } from "./tiles/shared-layouts.ts";
export { TMA, tma } from "./tma/index.ts";
export { spansHere } from "./trace/fail-here.ts";
export { asWarp } from "./trace/partition.ts";
export { own } from "./trace/staged.ts";
export { currentTrace, type Trace } from "./trace/trace.ts";
export { type Accumulator, type AccumulatorType, mapTogether, type Operand, WGMMAMatrix, wgmma } from "./wgmma/index.ts";
export { type WMMAAccumulator, WMMAMatrix, type WMMAOperand } from "./wmma/index.ts";
