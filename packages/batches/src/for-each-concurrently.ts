const CONCURRENCY = 16;

/** Runs a step for each value, with limited concurrency. */
export async function forEachConcurrently<T>(values: readonly T[], step: (value: T) => Promise<void>): Promise<void> {
  const left = values[Symbol.iterator]();
  const walk = async () => {
    for (const value of left) await step(value);
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, values.length) }, walk));
}
