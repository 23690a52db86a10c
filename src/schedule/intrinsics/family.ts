/** Families of intrinsics: names that say what they are, such as `wgmma_fill_f32_64x256`. A member is made when it is asked for. */

/** What the angle brackets of a family's names stand for, by what is written in them. */
export type Fields = Readonly<Record<string, string>>;

export interface Family<Member> {
  /** How its names are written, with what differs in angle brackets: `wgmma_fill_<sum>_<m>x<n>`. */
  readonly names: string;
  /** What may stand in the place of the brackets, for errors. */
  readonly takes: string;
  /** The member, or why there is none. */
  readonly make: (name: string, fields: Fields) => Member | string;
}

/** What a family makes of a name; `made` is undefined where the name only begins as its names do. */
export interface Found<Member> {
  readonly family: Family<Member>;
  readonly made: Member | string | undefined;
}

/** The fields of a name that is written as the names of the family are. */
function fieldsOf(names: string, name: string): Fields | undefined {
  const pattern = names.replace(/<(\w+)>/g, "(?<$1>[^_x]+)");
  const { groups } = new RegExp(`^${pattern}$`).exec(name) ?? {};
  return groups && { ...groups };
}

/** What the families make of a name; undefined where it does not begin as any of their names do. */
export function memberOf<Member>(families: readonly Family<Member>[], name: string): Found<Member> | undefined {
  for (const family of families) {
    const fields = fieldsOf(family.names, name);
    if (fields) return { family, made: family.make(name, fields) };
  }
  const family = families.find(({ names }) => name.startsWith(names.slice(0, names.indexOf("<"))));
  return family && { family, made: undefined };
}

/** A field as a whole number, or undefined. */
export const wholeNumber = (field: string | undefined): number | undefined =>
  field !== undefined && /^[1-9]\d*$/.test(field) ? Number(field) : undefined;
