/** How many steps run at once. */
const AT_ONCE = 16;

/** Does something with each value, some of them at once. */
export async function sideBySide<T>(values: readonly T[], step: (value: T) => Promise<void>): Promise<void> {
  const left = values[Symbol.iterator]();
  const walk = async () => {
    for (const value of left) await step(value);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, values.length) }, walk));
}
