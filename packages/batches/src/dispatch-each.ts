import type { NewExecution } from '@chorus/executions';
import type { Dispatcher } from '@chorus/queue';
import { isAway } from './is-away.ts';

/** An execution that an item gets. */
export interface BegunItem {
  index: number;
  execution: NewExecution & { batch_id: string };
}

/**
 * Begins executions together; where that fails for what one of them is, each by itself.
 *
 * @returns those that can't be begun, and why
 * @throws what says nothing of them: the stores are away
 */
export async function dispatchEach(
  dispatcher: Pick<Dispatcher, 'dispatchMany'>,
  begun: readonly BegunItem[],
): Promise<{ item: BegunItem; cause: unknown }[]> {
  try {
    await dispatcher.dispatchMany(begun.map(({ execution }) => execution));
    return [];
  } catch (cause) {
    if (isAway(cause)) throw cause;
    const [item, ...more] = begun;
    if (item && more.length === 0) return [{ item, cause }];
  }
  const failed = [];
  for (const one of begun) failed.push(...(await dispatchEach(dispatcher, [one])));
  return failed;
}
