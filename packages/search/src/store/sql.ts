/** A string as a literal of the engine's SQL, which knows no other escape than the doubled quote. */
export const literal = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** A list of strings as SQL's own. */
export const literals = (values: readonly string[]): string => values.map(literal).join(', ');

/** Conditions that must all hold; absent ones are left out. */
export const all = (...conditions: (string | null)[]): string => conditions.filter((one) => one !== null).join(' AND ');

/** A column that holds one of the values; none of them: nothing fits. */
export const oneOf = (column: string, values: readonly string[]): string =>
  values.length === 0 ? 'false' : `${column} IN (${literals(values)})`;
