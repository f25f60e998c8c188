const AT_ONCE = 16;

/** Removes each key, some at once. Where one fails the others are still tried; the first failure is thrown then. */
export async function removeEach(keys: readonly string[], remove: (key: string) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  const left = keys.values();
  const removeNext = async () => {
    for (const key of left) await remove(key).catch((error) => failures.push(error));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, removeNext));
  if (failures.length > 0) throw failures[0];
}
