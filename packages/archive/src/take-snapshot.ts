import {
  type ArchiveCreate,
  ChorusError,
  type CitationItem,
  isTerminal,
  MAX_ARCHIVE_TEXT,
  type Owner,
} from '@chorus/contract';
import type { Database, MessageRecord } from '@chorus/database';

export interface Snapshot {
  /** Null: it has no title. */
  title: string | null;
  /** Markdown, at most `MAX_ARCHIVE_TEXT` characters. */
  content: string;
}

export interface SnapshotParts {
  database: Pick<Database, 'sessions' | 'messages'>;
  /** Returns a knowledge entry as Markdown, or null. It may be cut after `maxChars`, which is rejected anyway. */
  readEntry(owner: Owner, id: string, maxChars: number): Promise<Snapshot | null>;
}

type Origin = NonNullable<ArchiveCreate['from']>;

/** Messages per read. A message may have a million characters. */
const MESSAGES = 20;

const SPEAKERS = { user: 'User', assistant: 'Assistant', tool: 'Tool' } as const satisfies Record<
  MessageRecord['role'],
  string
>;

/**
 * Returns the current text of a session, message, or knowledge entry.
 *
 * @throws {ChorusError} `not_found`; `session_locked` while the message is being written; `invalid_request` if it has
 * no text; `payload_too_large`
 */
export async function takeSnapshot(parts: SnapshotParts, owner: Owner, { type, id }: Origin): Promise<Snapshot> {
  const snapshot = await {
    session: () => ofSession(parts.database, owner, id),
    message: () => ofMessage(parts.database, owner, id),
    knowledge: () => parts.readEntry(owner, id, MAX_ARCHIVE_TEXT),
  }[type]();
  if (snapshot === null) throw new ChorusError('not_found', `There is no such ${NAMES[type]}.`);
  if (snapshot.content.length > MAX_ARCHIVE_TEXT) throw tooLong(type);
  if (snapshot.content.trim() !== '') return snapshot;
  throw new ChorusError('invalid_request', `This ${NAMES[type]} has no text yet.`, {
    details: [{ path: 'body.from.id', message: 'must name something with text' }],
  });
}

const NAMES = { session: 'session', message: 'message', knowledge: 'knowledge entry' } as const;

async function ofMessage({ messages }: SnapshotParts['database'], owner: Owner, id: string): Promise<Snapshot | null> {
  const message = await messages.get(owner, id);
  if (message === null) return null;
  if (!isTerminal(message.status))
    throw new ChorusError('session_locked', 'This message is still being written.', {
      retryAfterS: 1,
      extra: { active_execution_id: message.execution_id },
    });
  return { title: null, content: messageText(message) };
}

/** Formats the conversation without superseded and unfinished messages. */
async function ofSession(
  { sessions, messages }: SnapshotParts['database'],
  owner: Owner,
  id: string,
): Promise<Snapshot | null> {
  const session = await sessions.get(owner, id);
  if (session === null) return null;
  const turns: string[] = [];
  let chars = 0;
  for (let after: string | undefined; ; ) {
    const page = await messages.listBySession(owner, id, {
      limit: MESSAGES,
      ...(after === undefined ? {} : { after }),
    });
    for (const message of page.data) {
      const text = isTerminal(message.status) ? messageText(message) : '';
      if (text === '') continue;
      const turn = `### ${SPEAKERS[message.role]} · ${message.created_at.toISOString()}\n\n${text}`;
      chars += turn.length + BETWEEN.length;
      if (chars > MAX_ARCHIVE_TEXT) throw tooLong('session');
      turns.push(turn);
    }
    if (page.next_cursor === null) return { title: session.title, content: turns.join(BETWEEN) };
    after = page.next_cursor;
  }
}

const BETWEEN = '\n\n';

function tooLong(type: Origin['type']): ChorusError {
  const limit = MAX_ARCHIVE_TEXT.toLocaleString('en');
  return new ChorusError('payload_too_large', `This ${NAMES[type]} exceeds the limit of ${limit} characters.`);
}

const QUOTE_CHARS = 300;

/** Formats a message as Markdown, with its tool calls, citations and attachments. */
export function messageText({ content, tool_calls, citations, attachments }: MessageRecord): string {
  const calls = tool_calls.map(({ function: { name, arguments: text } }) => `Calls \`${name}\`: \`${text}\``);
  const parts = [content, ...calls];
  if (citations.length > 0) parts.push(`Sources:\n\n${citations.map(citationLine).join('\n')}`);
  if (attachments.length > 0) parts.push(`Attachments: ${attachments.map((id) => `\`${id}\``).join(', ')}`);
  return parts.filter((part) => part !== '').join('\n\n');
}

function citationLine({ marker, title, page, quote }: CitationItem): string {
  const where = page === null ? title : `${title}, page ${page}`;
  const words = quote.replace(/\s+/g, ' ').trim();
  const shown = words.length <= QUOTE_CHARS ? words : `${words.slice(0, QUOTE_CHARS).trimEnd()}…`;
  return `- [${marker}] ${where}: "${shown}"`;
}
