import type { Assets } from '@chorus/assets';
import type { Owner } from '@chorus/contract';
import type { Database } from '@chorus/database';
import type { EventLog } from '@chorus/events';
import { outputWithoutQuotes, withoutQuotes } from './without-quotes.ts';

const PAGE = 100;

/** Limit of attempts. Texts that keep changing are left to the next run. */
const MAX_ROUNDS = 1_000;

export interface QuotingParts {
  database: Pick<Database, 'messages' | 'messageRevisions' | 'executions'>;
  assets: Pick<Assets, 'ofExecution' | 'remove'>;
  eventLog: Pick<EventLog, 'seal'>;
}

/**
 * Blanks quotes of a knowledge entry in stored answers of the scope: messages, their history, and finished
 * executions. Idempotent. Must be repeated for answers that were still being written.
 *
 * @throws {ChorusError} store_unavailable
 */
export async function blankQuotes({ database, assets, eventLog }: QuotingParts, owner: Owner, entryId: string) {
  const { messages, messageRevisions, executions } = database;
  for (const texts of [messages, messageRevisions])
    await repeatUntilNone(
      () => texts.listQuoting(entryId, PAGE),
      (text) => texts.replaceQuotes(text, withoutQuotes(text, entryId)),
    );
  await repeatUntilNone(
    () => executions.listQuoting(entryId, PAGE),
    async ({ id, surface, output }) => {
      await eventLog.seal(id);
      // The audio of a spoken answer contains its text.
      if (surface === 'voice')
        for (const asset of await assets.ofExecution(owner, id)) await assets.remove(asset.owner, asset.id);
      await executions.setOutput(id, outputWithoutQuotes(output, entryId));
    },
  );
}

/** Changes matches until there are no more. */
async function repeatUntilNone<T>(find: () => Promise<T[]>, change: (one: T) => Promise<unknown>): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const found = await find();
    if (found.length === 0) return;
    for (const one of found) await change(one);
  }
}
