import { issueMessage, sessionExport } from '@chorus/contract';
import { z } from 'zod';
import { parseChatGpt } from './parse-chatgpt.ts';
import { parseLibreChat } from './parse-librechat.ts';
import { parseOpenWebUi } from './parse-open-webui.ts';
import { ImportIssue, isObject, type JsonObject, type ParsedConversation, timeOf } from './parsed-conversation.ts';

type Format = ParsedConversation['format'];

const PARSERS: Record<Format, (raw: JsonObject) => ParsedConversation> = {
  chorus: parseOwn,
  chatgpt: parseChatGpt,
  librechat: parseLibreChat,
  'open-webui': parseOpenWebUi,
};

/** Recognizes the program that a conversation comes from. */
export function formatOf(raw: unknown): Format | null {
  if (!isObject(raw)) return null;
  if (raw.object === 'session.export') return 'chorus';
  if ('mapping' in raw || ('create_time' in raw && 'title' in raw)) return 'chatgpt';
  if ('messagesTree' in raw || ('conversationId' in raw && 'messages' in raw)) return 'librechat';
  return 'chat' in raw || 'history' in raw ? 'open-webui' : null;
}

/** @throws {ImportIssue} */
export function parseConversation(raw: unknown): ParsedConversation {
  const format = formatOf(raw);
  if (format === null)
    throw new ImportIssue('', 'is not an exported conversation of Chorus, ChatGPT, LibreChat, or Open WebUI');
  return PARSERS[format](raw as JsonObject);
}

/** Later versions may add fields. */
const ownExport = sessionExport.extend({
  messages: z.array(
    sessionExport.shape.messages.element.partial({ reasoning_content: true, citations: true, attachments: true }),
  ),
});

function parseOwn(raw: JsonObject): ParsedConversation {
  const { data, error } = ownExport.safeParse(raw, { error: issueMessage });
  const [issue] = error?.issues ?? [];
  if (data === undefined) throw new ImportIssue(issue?.path.join('.') ?? '', issue?.message ?? 'is not valid');
  const { id, title, pinned, starred, archived, created_at, updated_at } = data;
  return {
    format: 'chorus',
    id,
    title,
    pinned,
    starred,
    archived,
    created_at: timeOf(created_at),
    updated_at: timeOf(updated_at),
    // Tool calls are not exported, so their results would refer to nothing.
    messages: data.messages.flatMap(({ role, content, citations, attachments, created_at: time }) =>
      role === 'tool' || (content === '' && !attachments?.length)
        ? []
        : [{ role, content, created_at: timeOf(time), citations: citations ?? [], attachments: attachments ?? [] }],
    ),
    missingFiles: 0,
  };
}
