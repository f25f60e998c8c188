import { createHash } from 'node:crypto';
import { ChorusError, type ImportedSession, newId, type Owner, scopeKey } from '@chorus/contract';
import type { Database, MessageRecord } from '@chorus/database';
import { formatOf, parseConversation } from './parse-conversation.ts';
import { ImportIssue, type ParsedConversation, type ParsedMessage, titleOf } from './parsed-conversation.ts';

type ImportStore = Pick<Database, 'sessions' | 'messages' | 'assets'>;

/** Messages per write. */
const PAGE = 100;

const MAX_MESSAGES = 20_000;
const MAX_MESSAGE_CHARS = 1_000_000;

type Outcome = Omit<ImportedSession, 'index'>;

/**
 * Stores a conversation from a file as a session. Skips one that was imported before. Returns issues in the file
 * instead of throwing them.
 *
 * @throws {ChorusError} store_unavailable
 */
export async function importConversation(store: ImportStore, owner: Owner, raw: unknown): Promise<Outcome> {
  const none = { session_id: null, message_count: 0, missing_files: 0, title: null, error: null };
  try {
    const parsed = parseConversation(raw);
    check(parsed);
    return { ...none, format: parsed.format, title: titleOf(parsed), ...(await storeOnce(store, owner, parsed)) };
  } catch (error) {
    if (!(error instanceof ImportIssue)) throw error;
    const { path, message } = error;
    return { ...none, status: 'failed', format: formatOf(raw), title: givenTitle(raw), error: { path, message } };
  }
}

function check({ messages }: ParsedConversation): void {
  if (messages.length === 0) throw new ImportIssue('messages', 'has no text to import');
  if (messages.length > MAX_MESSAGES) {
    const most = MAX_MESSAGES.toLocaleString('en');
    throw new ImportIssue('messages', `has ${messages.length.toLocaleString('en')} messages; at most ${most}`);
  }
  const long = messages.findIndex(({ content }) => content.length > MAX_MESSAGE_CHARS);
  if (long === -1) return;
  const most = MAX_MESSAGE_CHARS.toLocaleString('en');
  throw new ImportIssue(`messages.${long}`, `is longer than ${most} characters`);
}

function givenTitle(raw: unknown): string | null {
  const title = typeof raw === 'object' && raw !== null && 'title' in raw ? raw.title : null;
  return typeof title === 'string' ? titleOf({ title, messages: [] }) : null;
}

async function storeOnce(
  store: ImportStore,
  owner: Owner,
  parsed: ParsedConversation,
): Promise<Pick<Outcome, 'status' | 'session_id' | 'message_count' | 'missing_files'>> {
  const import_key = keyOf(owner, parsed);
  const before = (await ownSession(store, owner, parsed)) ?? (await store.sessions.findImported(owner, import_key));
  const skipped = { status: 'skipped', message_count: 0, missing_files: 0 } as const;
  if (before !== null) return { ...skipped, session_id: before };
  const id = newId('session');
  const now = new Date();
  const created_at = parsed.created_at ?? parsed.messages[0]?.created_at ?? now;
  const { records, missing } = await toRecords(store, owner, id, parsed.messages, created_at);
  // The session comes last: until then, nothing of this is visible.
  for (let at = 0; at < records.length; at += PAGE) await store.messages.insert(owner, records.slice(at, at + PAGE));
  const { pinned, starred, archived, missingFiles } = parsed;
  const last = parsed.updated_at ?? records.at(-1)?.created_at ?? created_at;
  const times = { created_at, updated_at: new Date(Math.max(last.getTime(), created_at.getTime())) };
  const flags = { pinned, starred, archived, title: titleOf(parsed), metadata: {} };
  try {
    await store.sessions.create(owner, { id, ...flags, ...times, message_count: records.length, import_key });
  } catch (error) {
    while ((await store.messages.removeSome(owner, id, PAGE)).length === PAGE);
    // Another import of the same conversation finished first.
    if (!(error instanceof ChorusError && error.code === 'conflict')) throw error;
    return { ...skipped, session_id: await store.sessions.findImported(owner, import_key) };
  }
  return { status: 'imported', session_id: id, message_count: records.length, missing_files: missingFiles + missing };
}

/** Returns the session that was exported, if it still exists here. */
async function ownSession(
  { sessions }: ImportStore,
  owner: Owner,
  { format, id }: ParsedConversation,
): Promise<string | null> {
  return format === 'chorus' && id !== null ? ((await sessions.get(owner, id))?.id ?? null) : null;
}

function keyOf(owner: Owner, { format, id, messages }: ParsedConversation): string {
  const identity = id ?? JSON.stringify(messages);
  const hash = createHash('sha256').update(`${format}\n${identity}`).digest('base64url');
  return `${scopeKey(owner)}/${owner.user_id}/${hash}`;
}

async function toRecords(
  { assets }: ImportStore,
  owner: Owner,
  session_id: string,
  messages: readonly ParsedMessage[],
  from: Date,
): Promise<{ records: MessageRecord[]; missing: number }> {
  const records: MessageRecord[] = [];
  let missing = 0;
  let time = from;
  for (const [position, { role, content, citations = [], attachments: named = [], created_at }] of messages.entries()) {
    time = created_at ?? time;
    const found = await Promise.all(named.map((id) => assets.get(owner, id)));
    const attachments = found.flatMap((asset) => asset?.id ?? []);
    missing += named.length - attachments.length;
    records.push({
      id: newId('message'),
      session_id,
      owner,
      role,
      content: content.replaceAll('\0', '').toWellFormed(),
      status: 'succeeded',
      position,
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
