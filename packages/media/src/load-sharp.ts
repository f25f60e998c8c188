type Sharp = typeof import('sharp').default;

let loading: Promise<Sharp> | null = null;

/** Loads the library that decodes and encodes pictures, at its first use. */
export function loadSharp(): Promise<Sharp> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    // Files are read once: what libvips keeps of them is memory lost.
    sharp.cache(false);
    return sharp;
  });
  return loading;
}
