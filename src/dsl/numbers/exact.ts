import { isInteger, isSigned, type ScalarType, type Value } from "../../ir/index.ts";
import { checkingTrace, type Division, expectExact } from "../checks/pending.ts";
import { isOpen } from "./open-types.ts";

const isDivision = (symbol: string): boolean => symbol === "/" || symbol === "%";

/**
 * What an operator gave; `debug` checks that an integer is the exact result. Unsigned sums wrap; of quotients and rests all are
 * checked. `quotient`: what was divided, where the result is not that of the division itself.
 */
export function checked(result: Value, symbol: string, quotient?: Division): Value {
  const trace = checkingTrace();
  const whole = isInteger(result.type as ScalarType);
  if (trace && (isOpen(result) || (whole && (isDivision(symbol) || isSigned(result.type)))))
    expectExact(trace, result, symbol, quotient);
  return result;
}
