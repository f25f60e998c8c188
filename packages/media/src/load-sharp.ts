type Sharp = typeof import('sharp').default;

let loading: Promise<Sharp> | null = null;

export function loadSharp(): Promise<Sharp> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    // Files are read only once, so caching them wastes memory.
    sharp.cache(false);
    return sharp;
  });
  return loading;
}
