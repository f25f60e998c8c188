import { ChorusError, type ImportedSession, newId, type Owner, scopeKey } from '@chorus/contract';
import type { Database, MessageRecord } from '@chorus/database';
import { type ParsedConversation, type ParsedMessage, titleOf } from './parsed-conversation.ts';
import type { ReadConversation } from './read-conversation.ts';

type ImportStore = Pick<Database, 'sessions' | 'messages' | 'assets'>;

/** Messages, and characters, per write. Others wait for a write that the store has begun. */
const PAGE = 100;
const PAGE_CHARS = 500_000;

type Outcome = Omit<ImportedSession, 'index'>;

/**
 * Stores a conversation that was read from a file as a session. Skips one that was imported before.
 *
 * @throws {ChorusError} store_unavailable
 */
export async function importConversation(store: ImportStore, owner: Owner, read: ReadConversation): Promise<Outcome> {
  const none = { session_id: null, message_count: 0, missing_files: 0, error: null };
  if ('issue' in read) {
    const { issue: error, format, title } = read;
    return { ...none, status: 'failed', format, title, error };
  }
  const { parsed, title } = read;
  return { ...none, format: parsed.format, title, ...(await storeOnce(store, owner, read)) };
}

async function storeOnce(
  store: ImportStore,
  owner: Owner,
  { parsed, identity }: Extract<ReadConversation, { parsed: unknown }>,
): Promise<Pick<Outcome, 'status' | 'session_id' | 'message_count' | 'missing_files'>> {
  const import_key = `${scopeKey(owner)}/${owner.user_id}/${identity}`;
  const before = (await ownSession(store, owner, parsed)) ?? (await store.sessions.findImported(owner, import_key));
  const skipped = { status: 'skipped', message_count: 0, missing_files: 0 } as const;
  if (before !== null) return { ...skipped, session_id: before };
  const id = newId('session');
  const now = new Date();
  const created_at = parsed.created_at ?? parsed.messages[0]?.created_at ?? now;
  // The session comes last: until then, nothing of this is visible.
  let [time, missing, position] = [created_at, 0, 0];
  for (const page of pagesOf(parsed.messages)) {
    const made = await toRecords(store, owner, { session_id: id, position, time }, page);
    await store.messages.insert(owner, made.records);
    position += page.length;
    missing += made.missing;
    time = made.records.at(-1)?.created_at ?? time;
  }
  const { pinned, starred, archived, missingFiles } = parsed;
  const last = parsed.updated_at ?? time;
  const times = { created_at, updated_at: new Date(Math.max(last.getTime(), created_at.getTime())) };
  const flags = { pinned, starred, archived, title: titleOf(parsed), metadata: {} };
  try {
    await store.sessions.create(owner, { id, ...flags, ...times, message_count: position, import_key });
  } catch (error) {
    while ((await store.messages.removeSome(owner, id, PAGE)).length === PAGE);
    // Another import of the same conversation finished first.
    if (!(error instanceof ChorusError && error.code === 'conflict')) throw error;
    return { ...skipped, session_id: await store.sessions.findImported(owner, import_key) };
  }
  return { status: 'imported', session_id: id, message_count: position, missing_files: missingFiles + missing };
}

/** Returns the session that was exported, if it still exists here. */
async function ownSession(
  { sessions }: ImportStore,
  owner: Owner,
  { format, id }: ParsedConversation,
): Promise<string | null> {
  return format === 'chorus' && id !== null ? ((await sessions.get(owner, id))?.id ?? null) : null;
}

function* pagesOf(messages: readonly ParsedMessage[]): Generator<readonly ParsedMessage[]> {
  let [from, chars] = [0, 0];
  for (const [at, { content }] of messages.entries()) {
    if (at > from && (at - from === PAGE || chars + content.length > PAGE_CHARS)) {
      yield messages.slice(from, at);
      [from, chars] = [at, 0];
    }
    chars += content.length;
  }
  yield messages.slice(from);
}

async function toRecords(
  { assets }: ImportStore,
  owner: Owner,
  from: { session_id: string; position: number; time: Date },
  messages: readonly ParsedMessage[],
): Promise<{ records: MessageRecord[]; missing: number }> {
  const records: MessageRecord[] = [];
  let missing = 0;
  let { time } = from;
  for (const [at, { role, content, citations = [], attachments: named = [], created_at }] of messages.entries()) {
    time = created_at ?? time;
    const found = await Promise.all(named.map((id) => assets.get(owner, id)));
    const attachments = found.flatMap((asset) => asset?.id ?? []);
    missing += named.length - attachments.length;
    records.push({
      id: newId('message'),
      session_id: from.session_id,
      owner,
      role,
      content: content.replaceAll('\0', '').toWellFormed(),
      status: 'succeeded',
      position: from.position + at,
      revision: 1,
      effective_revision: 1,
      superseded_by: null,
      execution_id: null,
      citations,
      reasoning: [],
      tool_calls: [],
      tool_call_id: null,
      attachments,
      usage: null,
      created_at: time,
      updated_at: time,
    });
  }
  return { records, missing };
}
