/** Registers of a thread that copies and of one that computes, by how many warpgroups compute: as many as a multiprocessor has for all of them. */
export const registersOfRoles: Readonly<Record<number, readonly [few: number, many: number]>> = { 2: [40, 232], 3: [32, 160] };
