const deeds = ["loads", "products", "stores"] as const;
/** What a warp was seen to do, in the order in which a role is called after it. */
export type Deed = (typeof deeds)[number];

/** What a warp is for, where nothing says so: what it was seen to do. */
export const roleAfter = (did: (deed: Deed) => boolean): string => deeds.filter(did).join(" and ") || "other work";
