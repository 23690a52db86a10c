export { finishOpenTypes } from "./finish.ts";
export {
  binary,
  bitcastTo,
  constant,
  convertTo,
  isStaged,
  isStagedScalar,
  isStaticNumber,
  lift,
  liftIndex,
  liftPred,
  StagedScalar,
  selectValue,
  truth,
  unary,
} from "./lift.ts";
