import { createHash } from 'node:crypto';
import type { ImportedSession } from '@chorus/contract';
import { formatOf, parseConversation } from './parse-conversation.ts';
import { ImportIssue, type ParsedConversation, titleOf } from './parsed-conversation.ts';

const MAX_MESSAGES = 20_000;
const MAX_MESSAGE_CHARS = 1_000_000;

/** A conversation that was read from a file, or an issue in it. */
export type ReadConversation =
  /** `identity`: the same for the same conversation, also in another file. */
  | { parsed: ParsedConversation; title: string | null; identity: string }
  | { issue: NonNullable<ImportedSession['error']>; format: ImportedSession['format']; title: string | null };

/** Reads a conversation. Returns issues in the file instead of throwing them. */
export function readConversation(raw: unknown): ReadConversation {
  try {
    const parsed = parseConversation(raw);
    check(parsed);
    return { parsed, title: titleOf(parsed), identity: identityOf(parsed) };
  } catch (error) {
    if (!(error instanceof ImportIssue)) throw error;
    const { path, message } = error;
    return { issue: { path, message }, format: formatOf(raw), title: givenTitle(raw) };
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

function identityOf({ format, id, messages }: ParsedConversation): string {
  const identity = id ?? JSON.stringify(messages);
  return createHash('sha256').update(`${format}\n${identity}`).digest('base64url');
}
