const UNITS = ['B', 'kB', 'MB', 'GB'] as const;

/** A size as people read it. @param bytes how many */
export function sizeText(bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1_000 ** step;
  return `${value.toFixed(step === 0 || value >= 100 ? 0 : 1)} ${UNITS[step]}`;
}
