import {
  isObject,
  type JsonObject,
  joinNeighbors,
  listAt,
  type ParsedConversation,
  type ParsedMessage,
  pathTo,
  textOr,
  timeOf,
} from './parsed-conversation.ts';

/** Reads a conversation exported from LibreChat: a list or a tree of messages. Uses the last of several branches. */
export function parseLibreChat(raw: JsonObject): ParsedConversation {
  const name = raw.messagesTree === undefined ? 'messages' : 'messagesTree';
  const all = flatten(listAt(raw[name], name));
  const nodes = new Map<string, { parent: string | null; value: JsonObject }>();
  for (const { message, parent } of all) {
    const id = textOr(message.messageId, null);
    if (id !== null) nodes.set(id, { parent: textOr(message.parentMessageId, parent), value: message });
  }
  const isTree = nodes.size === all.length;
  const last = textOr(all.at(-1)?.message.messageId, '');
  const path = isTree ? pathTo(nodes, last) : all.map(({ message }) => message);
  // A list without parent ids is in order.
  const shown = isTree && path.length === 1 && !all.some(hasParent) ? all.map(({ message }) => message) : path;
  const messages = joinNeighbors(shown.map(toMessage));
  return {
    format: 'librechat',
    id: textOr(raw.conversationId, null),
    title: textOr(raw.title, null),
    pinned: false,
    starred: false,
    archived: false,
    created_at: messages[0]?.created_at ?? null,
    updated_at: messages.at(-1)?.created_at ?? null,
    messages,
    missingFiles: shown.reduce((sum, { files }) => sum + (Array.isArray(files) ? files.length : 0), 0),
  };
}

interface TreeMessage {
  message: JsonObject;
  parent: string | null;
}

const hasParent = ({ message, parent }: TreeMessage): boolean =>
  parent !== null || typeof message.parentMessageId === 'string';

/** Returns the messages of a tree, the last branch last. Not recursive, since trees may be very deep. */
function flatten(roots: unknown[]): TreeMessage[] {
  const found: TreeMessage[] = [];
  const waiting = roots.map((value) => ({ value, parent: null as string | null })).reverse();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, parent } = next;
    if (!isObject(value)) continue;
    found.push({ message: value, parent });
    const children = Array.isArray(value.children) ? value.children : [];
    const id = textOr(value.messageId, null);
    for (const child of children.toReversed()) waiting.push({ value: child, parent: id });
  }
  return found;
}

function toMessage(message: JsonObject): ParsedMessage {
  const role = message.isCreatedByUser === true ? 'user' : 'assistant';
  return { role, content: textOf(message), created_at: timeOf(message.createdAt) };
}

/** Returns the text of a message, which newer versions store in parts. */
function textOf({ text, content }: JsonObject): string {
  const said = textOr(text, '');
  if (said !== '' || !Array.isArray(content)) return said;
  const parts = content.map((part) => {
    if (!isObject(part) || part.type !== 'text') return '';
    return isObject(part.text) ? textOr(part.text.value, '') : textOr(part.text, '');
  });
  return parts.filter((part) => part !== '').join('\n\n');
}
