/** The fields of any object, by whatever key: what is read is `unknown`, so nothing is taken for granted. */
export const fieldsOf = (object: object): Record<PropertyKey, unknown> => object as Record<PropertyKey, unknown>;
