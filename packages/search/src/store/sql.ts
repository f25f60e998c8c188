/** Quotes a string for the engine's SQL, where doubling the quote is the only escape. */
export const literal = (value: string): string => `'${value.replaceAll("'", "''")}'`;

export const literals = (values: readonly string[]): string => values.map(literal).join(', ');

export const allOf = (...conditions: (string | null)[]): string =>
  conditions.filter((one) => one !== null).join(' AND ');

/** Matches one of the values, or nothing if there are none. */
export const oneOf = (column: string, values: readonly string[]): string =>
  values.length === 0 ? 'false' : `${column} IN (${literals(values)})`;
