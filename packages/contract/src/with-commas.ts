/** Writes a whole number with commas between its thousands, without loading the languages of `Intl`. */
export const withCommas = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');
