/** CPU time that a PDF may take: some seconds, and more for a large file. Otherwise a kilobyte could cost minutes. */
const BASE_MS = 5_000;
const PER_MEGABYTE_MS = 10_000;
const MAX_MS = 300_000;

export const pdfCpuMs = (sizeBytes: number): number =>
  Math.min(MAX_MS, BASE_MS + Math.ceil((sizeBytes / 1_000_000) * PER_MEGABYTE_MS));
