type Sharp = typeof import('sharp').default;

let loading: Promise<Sharp> | null = null;

/** The library that decodes and encodes pictures, loaded at its first use: that costs 25 MB and a tenth of a second. */
export function loadSharp(): Promise<Sharp> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    // Files here are read once: what libvips keeps of them is memory lost.
    sharp.cache(false);
    return sharp;
  });
  return loading;
}
