import {
  isObject,
  type JsonObject,
  joinNeighbors,
  objectAt,
  type ParsedConversation,
  type ParsedMessage,
  pathTo,
  textOr,
  timeOf,
} from './parsed-conversation.ts';

/** Reads a conversation from ChatGPT's `conversations.json`: the branch that was last shown (`current_node`). */
export function parseChatGpt(raw: JsonObject): ParsedConversation {
  const mapping = objectAt(raw.mapping, 'mapping');
  const nodes = new Map<string, { parent: string | null; value: unknown }>();
  for (const [id, node] of Object.entries(mapping))
    if (isObject(node)) nodes.set(id, { parent: textOr(node.parent, null), value: node.message });
  const last = [...nodes.keys()].at(-1) ?? '';
  const current = textOr(raw.current_node, last);
  const shown = pathTo(nodes, nodes.has(current) ? current : last).flatMap(shownMessage);
  return {
    format: 'chatgpt',
    id: textOr(raw.conversation_id, textOr(raw.id, null)),
    title: textOr(raw.title, null),
    pinned: false,
    starred: raw.is_starred === true,
    archived: raw.is_archived === true,
    created_at: timeOf(raw.create_time),
    updated_at: timeOf(raw.update_time),
    messages: joinNeighbors(shown.map(({ message }) => message)),
    missingFiles: shown.reduce((sum, { files }) => sum + files, 0),
  };
}

/** Returns a message that ChatGPT shows, as opposed to hidden messages and tool calls. */
function shownMessage(message: unknown): { message: ParsedMessage; files: number }[] {
  if (!isObject(message)) return [];
  const { author, content, metadata, recipient, create_time } = message;
  const role = isObject(author) ? author.role : undefined;
  const isHidden = isObject(metadata) && metadata.is_visually_hidden_from_conversation === true;
  const isToAll = recipient === undefined || recipient === null || recipient === 'all';
  if ((role !== 'user' && role !== 'assistant') || isHidden || !isToAll || !isObject(content)) return [];
  if (content.content_type !== 'text' && content.content_type !== 'multimodal_text') return [];
  const parts = Array.isArray(content.parts) ? content.parts : [];
  const text = parts.map((part) => (isObject(part) ? textOr(part.text, '') : textOr(part, '')));
  const files = parts.filter((part) => isObject(part) && typeof part.text !== 'string').length;
  const said = text.filter((part) => part !== '').join('\n\n');
  return [{ message: { role, content: said, created_at: timeOf(create_time) }, files }];
}
