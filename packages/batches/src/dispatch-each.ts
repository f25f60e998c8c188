import { ChorusError } from '@chorus/contract';
import type { NewExecution } from '@chorus/executions';
import type { Dispatcher } from '@chorus/queue';
import { isUnrelatedError } from './unrelated-error.ts';

export const isOverBudget = (error: unknown): error is ChorusError =>
  error instanceof ChorusError && error.code === 'budget_exceeded';

export interface DispatchedItem {
  index: number;
  execution: NewExecution & { batch_id: string };
}

/**
 * Dispatches executions together, or one by one if that fails because of one of them.
 *
 * @returns The executions that failed, with the reason.
 * @throws errors that affect all of them, such as an unreachable store
 */
export async function dispatchEach(
  dispatcher: Pick<Dispatcher, 'dispatchMany'>,
  begun: readonly DispatchedItem[],
): Promise<{ item: DispatchedItem; cause: unknown }[]> {
  try {
    await dispatcher.dispatchMany(begun.map(({ execution }) => execution));
    return [];
  } catch (cause) {
    if (isUnrelatedError(cause)) throw cause;
    const [item, ...more] = begun;
    if (item && more.length === 0) return [{ item, cause }];
  }
  const failed: { item: DispatchedItem; cause: unknown }[] = [];
  for (const [at, one] of begun.entries()) {
    failed.push(...(await dispatchEach(dispatcher, [one])));
    const cause = failed.at(-1)?.cause;
    // The others share the budget.
    if (isOverBudget(cause)) return [...failed, ...begun.slice(at + 1).map((item) => ({ item, cause }))];
  }
  return failed;
}
