import { type DeletableExecution, type DeletionKind, type DeletionRecord, RESULT_FILES } from '@chorus/database';
import { isOfTurn } from '@chorus/executions';
import { findUploads } from './find-uploads.ts';
import { type DeletionParts, purgeExecutions } from './purge-executions.ts';

const STEP = 500;

const PAGE = 200;

interface Purged {
  /** Executions of the record still run, so it needs another pass. */
  running: boolean;
}

type Purge = (parts: DeletionParts, deletion: DeletionRecord) => Promise<Purged>;

const DONE: Purged = { running: false };

/** Returns whether an execution is spoken, so that its audio repeats the text of its messages. */
const isSpoken = ({ surface }: DeletableExecution): boolean => surface === 'voice';

/** Deletes the data derived from a deleted record, by kind. Idempotent. */
export const PURGES: { [K in DeletionKind]: Purge } = {
  session: async (parts, deletion) => {
    const { id, owner, assets } = deletion;
    const { messages, messageRevisions, idempotency, shares } = parts.database;
    await shares.removeBySession(owner, id);
    // Must run while the messages that name the files still exist.
    const uploads = assets ? await findUploads(parts, deletion) : [];
    await parts.database.deletions.add(deletion, { asset_ids: uploads });
    const withUploads = { ...deletion, asset_ids: [...deletion.asset_ids, ...uploads] };
    const withAssets = (execution: DeletableExecution) => assets || isSpoken(execution);
    const purged = await purgeExecutions(parts, withUploads, { session_id: id }, { withAssets });
    for (let ids: string[] = []; ; ) {
      ids = await messages.removeSome(owner, id, STEP);
      if (ids.length > 0) await idempotency.clearAnswers(ids);
      if (ids.length < STEP) break;
    }
    while ((await messageRevisions.removeSome(owner, id, STEP)) === STEP);
    const released = await releaseDocuments(parts, deletion, id);
    return { running: purged.running || released.running };
  },

  message: async (parts, deletion) => {
    const { id, owner, session_id } = deletion;
    const found = session_id === null ? [] : await executionsOfMessage(parts, deletion, session_id);
    await parts.database.deletions.add(deletion, { execution_ids: found });
    const ids = [...new Set([...deletion.execution_ids, ...found])];
    const purged = await purgeExecutions(parts, deletion, { ids }, { withAssets: isSpoken });
    await parts.database.messageRevisions.removeByMessage(owner, id);
    if (session_id === null) return purged;
    const released = await releaseDocuments(parts, deletion, session_id);
    return { running: purged.running || released.running };
  },

  execution: (parts, deletion) => {
    const withAssets = () => deletion.assets;
    return purgeExecutions(parts, deletion, { ids: [deletion.id] }, { withAssets, itemsStay: true });
  },

  batch: async (parts, deletion) => {
    const { id, owner, assets } = deletion;
    const purged = await purgeExecutions(parts, deletion, { batch_id: id }, { withAssets: () => assets });
    await parts.database.batchItems.remove(id);
    await parts.database.batchParts.removeOf(id);
    for (const position of Object.values(RESULT_FILES)) {
      const file = await parts.database.assets.getByPosition(owner, id, position);
      if (file !== null) await parts.assets.remove(file.owner, file.id);
    }
    return purged;
  },

  knowledge: async (parts, deletion) => {
    const { id, owner, execution_ids } = deletion;
    const none = { withAssets: () => false };
    const ingestions = await purgeExecutions(parts, deletion, { entry_id: id }, none);
    const known = await purgeExecutions(parts, deletion, { ids: execution_ids }, none);
    await parts.blankQuotes(owner, id);
    return { running: ingestions.running || known.running };
  },

  archive: async ({ database }, { id, owner }) => {
    await database.archiveRevisions.removeByUnit(owner, id);
    return DONE;
  },

  asset: async ({ database, eventLog }, { id, execution_ids }) => {
    let running = false;
    for (const executionId of execution_ids) {
      const forgotten = await database.executions.clearFilename(executionId, id);
      if (forgotten) await eventLog.seal(executionId);
      running ||= !forgotten;
    }
    return { running };
  },

  agent: async () => DONE,

  folder: async () => DONE,

  prompt: async () => DONE,
};

/** Detaches documents that no message of the session names any more, and deletes those that no other session uses. */
async function releaseDocuments(parts: DeletionParts, deletion: DeletionRecord, sessionId: string): Promise<Purged> {
  const { owner } = deletion;
  const { knowledge, messages } = parts.database;
  const documents = await knowledge.listOfSession(owner, sessionId);
  const ids = documents.map(({ id }) => id);
  const named = ids.length === 0 ? new Set<string>() : await messages.attached(owner, sessionId, ids);
  let running = false;
  for (const id of ids.filter((one) => !named.has(one))) {
    await knowledge.detach(owner, sessionId, [id]);
    const hidden = await knowledge.hideUnused(owner, id);
    if (hidden === null) continue;
    // If this is interrupted, the sweep of entries completes it.
    await parts.removeEntry(hidden);
    const purged = await purgeExecutions(parts, deletion, { entry_id: id }, { withAssets: () => false });
    running ||= purged.running;
    await parts.blankQuotes(owner, id);
  }
  return { running };
}

/** Returns the ids of executions that wrote a message or hold its text in their input. */
async function executionsOfMessage(
  { database }: DeletionParts,
  { id, owner }: DeletionRecord,
  session_id: string,
): Promise<string[]> {
  const found: string[] = [];
  for (let after = ''; ; ) {
    const page = await database.executions.listForDeletion(owner, { session_id }, { after, limit: PAGE });
    found.push(...page.filter((one) => one.message_id === id || isOfTurn(one, id)).map((one) => one.id));
    after = page.at(-1)?.id ?? '';
    if (page.length < PAGE) return found;
  }
}

/** Returns the record of an undecided deletion, by kind; null once it is deleted. */
export const STORED_RECORDS: {
  [K in DeletionKind]: (parts: DeletionParts, deletion: DeletionRecord) => Promise<unknown>;
} = {
  session: ({ database }, { owner, id }) => database.sessions.get(owner, id),
  message: ({ database }, { owner, id }) => database.messages.get(owner, id),
  execution: ({ database }, { owner, id }) => database.executions.get(owner, id),
  batch: ({ database }, { owner, id }) => database.batches.get(owner, id),
  knowledge: ({ database }, { owner, id }) => database.knowledge.get(owner, id),
  archive: ({ database }, { owner, id }) => database.archive.get(owner, id),
  asset: ({ database }, { owner, id }) => database.assets.get(owner, id),
  agent: ({ database }, { owner, id }) => database.agents.get(owner, id),
  folder: ({ database }, { owner, id }) => database.folders.get(owner, id),
  prompt: ({ database }, { owner, id }) => database.prompts.get(owner, id),
};
