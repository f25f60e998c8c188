import type { Assets } from '@chorus/assets';
import type { Owner } from '@chorus/contract';
import type { Database } from '@chorus/database';
import type { EventLog } from '@chorus/events';
import { outputWithoutQuotes, withoutQuotes } from './without-quotes.ts';

/** Texts that are changed in one round. */
const PAGE = 100;

/** A text that changes at the same moment is left to the next pass. */
const MAX_ROUNDS = 1_000;

export interface QuotingParts {
  database: Pick<Database, 'messages' | 'messageRevisions' | 'executions'>;
  assets: Pick<Assets, 'ofExecution' | 'remove'>;
  eventLog: Pick<EventLog, 'seal'>;
}

/**
 * Blanks what stored answers of the scope took from a knowledge entry: in messages, their history and executions that have ended. Can be
 * repeated, and has to be for answers that were being written.
 *
 * @throws {ChorusError} store_unavailable
 */
export async function blankQuotes({ database, assets, eventLog }: QuotingParts, owner: Owner, entryId: string) {
  const { messages, messageRevisions, executions } = database;
  for (const texts of [messages, messageRevisions])
    await untilNone(
      () => texts.listQuoting(entryId, PAGE),
      (text) => texts.requote(text, withoutQuotes(text, entryId)),
    );
  await untilNone(
    () => executions.listQuoting(entryId, PAGE),
    async ({ id, surface, output }) => {
      await eventLog.seal(id);
      // The sound of a spoken answer says what its text said.
      if (surface === 'voice')
        for (const asset of await assets.ofExecution(owner, id)) await assets.remove(asset.owner, asset.id);
      await executions.setOutput(id, outputWithoutQuotes(output, entryId));
    },
  );
}

/** Changes what is found until nothing more is found. */
async function untilNone<T>(find: () => Promise<T[]>, change: (one: T) => Promise<unknown>): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const found = await find();
    if (found.length === 0) return;
    for (const one of found) await change(one);
  }
}
