import type { ExportedMessage, Owner, SessionExport } from '@chorus/contract';
import { reasoningFields } from '@chorus/contract';
import type { Database, MessageRecord, SessionRecord } from '@chorus/database';

/** Messages per read. */
const PAGE = 100;

/** Yields chunks of a session with its messages, as JSON. */
export async function* exportJson(
  store: Pick<Database, 'messages'>,
  owner: Owner,
  session: SessionRecord,
): AsyncGenerator<string> {
  const { id, title, pinned, starred, archived } = session;
  const times = { created_at: session.created_at.toISOString(), updated_at: session.updated_at.toISOString() };
  const head: Omit<SessionExport, 'messages'> = {
    object: 'session.export',
    ...{ id, title, pinned, starred, archived },
    ...times,
  };
  yield `${JSON.stringify(head).slice(0, -1)},"messages":[`;
  let separator = '';
  for await (const message of messagesOf(store, owner, id)) {
    yield separator + JSON.stringify(exported(message));
    separator = ',';
  }
  yield ']}';
}

/** Yields chunks of a session with its questions and answers, as Markdown. */
export async function* exportMarkdown(
  store: Pick<Database, 'messages'>,
  owner: Owner,
  { id, title, created_at }: SessionRecord,
): AsyncGenerator<string> {
  yield `# ${title ?? 'Untitled'}\n\n_${created_at.toISOString().slice(0, 10)}_\n`;
  for await (const { role, content, citations, attachments } of messagesOf(store, owner, id)) {
    if (role === 'tool' || (content === '' && attachments.length === 0)) continue;
    yield `\n## ${role === 'user' ? 'Question' : 'Answer'}\n\n${content.trim()}\n`;
    if (attachments.length > 0) yield `\n_Attached files: ${attachments.length}_\n`;
    if (citations.length > 0) yield `\n${citations.map(sourceLine).join('\n')}\n`;
  }
}

function sourceLine({ marker, title, page, quote }: MessageRecord['citations'][number]): string {
  const place = page === null ? '' : `, p. ${page}`;
  const text = quote.replace(/\s+/gu, ' ').trim();
  return `- [${marker}] ${title === '' ? 'Deleted document' : title}${place}${text === '' ? '' : `: “${text}”`}`;
}

function exported({ role, content, reasoning, citations, attachments, created_at }: MessageRecord): ExportedMessage {
  const reasoning_content = reasoningFields(reasoning).reasoning_content ?? null;
  return { role, content, reasoning_content, citations, attachments, created_at: created_at.toISOString() };
}

async function* messagesOf(
  { messages }: Pick<Database, 'messages'>,
  owner: Owner,
  sessionId: string,
): AsyncGenerator<MessageRecord> {
  for (let after: string | null | undefined; after !== null; ) {
    const query = { limit: PAGE, ...(after !== undefined && { after }) };
    const page = await messages.listBySession(owner, sessionId, query);
    yield* page.data;
    after = page.next_cursor;
  }
}
