/** Formats an integer with thousands separators, without loading the locale data of `Intl`. */
export const withCommas = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');
