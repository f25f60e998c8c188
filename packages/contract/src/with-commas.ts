/** Formats an integer with thousands separators, without loading the locale data of `Intl`. */
export const withCommas = (count: number | bigint): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');
