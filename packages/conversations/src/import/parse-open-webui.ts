import {
  isObject,
  type JsonObject,
  joinNeighbors,
  listAt,
  objectAt,
  type ParsedConversation,
  type ParsedMessage,
  pathTo,
  textOr,
  timeOf,
} from './parsed-conversation.ts';

/** Reads a chat exported from Open WebUI: the branch that was last shown (`currentId`). */
export function parseOpenWebUi(raw: JsonObject): ParsedConversation {
  // Exports may also contain the chat without its record.
  const chat = raw.chat === undefined ? raw : objectAt(raw.chat, 'chat');
  const shown = shownMessages(chat, raw.chat === undefined ? '' : 'chat.');
  return {
    format: 'open-webui',
    id: textOr(raw.id, textOr(chat.id, null)),
    title: textOr(raw.title, textOr(chat.title, null)),
    pinned: raw.pinned === true,
    starred: false,
    archived: raw.archived === true,
    created_at: timeOf(raw.created_at) ?? timeOf(chat.timestamp),
    updated_at: timeOf(raw.updated_at),
    messages: joinNeighbors(shown.flatMap(toMessage)),
    missingFiles: shown.reduce((sum, { files }) => sum + (Array.isArray(files) ? files.length : 0), 0),
  };
}

function shownMessages(chat: JsonObject, at: string): JsonObject[] {
  if (chat.history === undefined) return listAt(chat.messages, `${at}messages`).filter(isObject);
  const history = objectAt(chat.history, `${at}history`);
  const messages = objectAt(history.messages, `${at}history.messages`);
  const nodes = new Map<string, { parent: string | null; value: JsonObject }>();
  for (const [id, message] of Object.entries(messages))
    if (isObject(message)) nodes.set(id, { parent: textOr(message.parentId, null), value: message });
  const last = [...nodes.keys()].at(-1) ?? '';
  const current = textOr(history.currentId, last);
  return pathTo(nodes, nodes.has(current) ? current : last);
}

function toMessage({ role, content, timestamp }: JsonObject): ParsedMessage[] {
  if (role !== 'user' && role !== 'assistant') return [];
  const text = Array.isArray(content)
    ? content.map((part) => (isObject(part) ? textOr(part.text, '') : '')).join('\n\n')
    : textOr(content, '');
  const said = role === 'assistant' ? withoutDetails(text) : text;
  return [{ role, content: said, created_at: timeOf(timestamp) }];
}

const OPENING = '<details type="';
const CLOSING = '</details>';

/** Removes reasoning and tool calls, which Open WebUI stores in the text of an answer. */
function withoutDetails(text: string): string {
  let kept = '';
  for (let at = 0; ; ) {
    const begin = text.indexOf(OPENING, at);
    const end = begin === -1 ? -1 : text.indexOf(CLOSING, begin);
    if (end === -1) return (kept + text.slice(at)).trim();
    kept += text.slice(at, begin);
    at = end + CLOSING.length;
  }
}
