/** CPU time that a file may take which says little of what it costs, such as a PDF: some seconds, and more for a large one. */
const BASE_MS = 5_000;
const PER_MEGABYTE_MS = 10_000;
const MAX_MS = 300_000;

export const cpuMsFor = (sizeBytes: number): number =>
  Math.min(MAX_MS, BASE_MS + Math.ceil((sizeBytes / 1_000_000) * PER_MEGABYTE_MS));
