/** A lowered program as the body of a kernel: run while tracing, it records what the program does. */

import type { Trace } from "../../../dsl/emit.ts";
import { rolesOf } from "../../roles/assign-roles.ts";
import type { Lowered } from "../pass.ts";
import { type Given, memoryOf } from "../storage/homes.ts";
import { emitRoles } from "./roles.ts";
import { Emitter } from "./statement.ts";

/** Records the program with these parameters. */
export function emitProgram(trace: Trace, { program, launch }: Lowered, given: Given): void {
  const memory = memoryOf(trace, program, given);
  const roles = rolesOf(program);
  if (roles) emitRoles({ trace, launch, memory, maps: given.maps }, roles);
  else new Emitter({ trace, launch, memory }).whole(program.body);
}
