import { type ChatMessage, ChorusError, MAX_MESSAGES, toolMessageIssues } from '@chorus/contract';
import type { AnthropicMessage, AssistantBlock, CountedBody, UserBlock } from './message-body.ts';

type UserMessage = Extract<ChatMessage, { role: 'user' }>;
type UserPart = Exclude<UserMessage['content'], string>[number];
type Block<Type extends UserBlock['type']> = Extract<UserBlock, { type: Type }>;
/** A block that becomes parts of a user's message. */
type PartBlock = Exclude<UserBlock, { type: 'tool_result' }> | ToolReference;
type ToolReference = { type: 'tool_reference'; tool_name: string };

/** Where the parts of a converted message come from: paths in the body. */
interface Place {
  message: string;
  content: string[];
  tool_calls: string[];
}

interface Conversation {
  messages: ChatMessage[];
  places: Place[];
}

/**
 * Converts Anthropic's messages to a conversation. Results of tools become messages of their own.
 * @throws {ChorusError} `invalid_request` for calls without results and results without calls
 */
export function toConversation(body: Pick<CountedBody, 'system' | 'messages'>): ChatMessage[] {
  const { messages } = convert(body);
  const [issue] = toolMessageIssues(messages);
  if (issue !== undefined) {
    const path = renamePaths(body, `body.${issue.path.join('.')}`);
    const message = issue.message.replaceAll('tool_call_id', 'tool_use_id').replace('a tool call', 'a tool_use block');
    throw invalid(path, message);
  }
  if (messages.length > MAX_MESSAGES)
    throw invalid('body.messages', `must have at most ${MAX_MESSAGES} messages, counting each tool result as one`);
  return messages;
}

/** Replaces paths of converted messages in a text by those in the body. */
export function renamePaths(body: Pick<CountedBody, 'system' | 'messages'>, text: string): string {
  let places: Place[] | null = null;
  return text.replaceAll(
    /\bmessages\.(\d+)(?:\.(content|tool_calls)\.(\d+))?(?:\.\w+)*/g,
    (path, message: string, list?: 'content' | 'tool_calls', at?: string) => {
      places ??= convert(body).places;
      const place = places[Number(message)];
      return (list && place?.[list][Number(at)]) ?? place?.message ?? path;
    },
  );
}

function convert({ system, messages }: Pick<CountedBody, 'system' | 'messages'>): Conversation {
  const conversation: Conversation = { messages: [], places: [] };
  if (system != null && system.length > 0)
    add(conversation, systemMessage(system), { message: 'system', content: [], tool_calls: [] });
  const lastOfUser = messages.findLastIndex(({ role }) => role === 'user');
  for (const [index, message] of messages.entries()) {
    const isCleared = message.role === 'system' && message.clear_at === 'next_user_message' && index < lastOfUser;
    if (!isCleared) addMessage(conversation, message, `messages.${index}`);
  }
  return conversation;
}

function add({ messages, places }: Conversation, message: ChatMessage, place: Place): void {
  messages.push(message);
  places.push(place);
}

function addMessage(conversation: Conversation, said: AnthropicMessage, path: string): void {
  const { role, content } = said;
  const place: Place = { message: path, content: [], tool_calls: [] };
  if (content == null) return;
  if (typeof content === 'string') add(conversation, { role, content }, place);
  else if (role === 'user') addUserBlocks(conversation, content, path);
  else if (role === 'assistant') add(conversation, assistantMessage(content, place), place);
  else {
    const texts = content.filter((block) => block.type === 'text');
    if (texts.length > 0) add(conversation, systemMessage(texts), place);
  }
}

function systemMessage(content: NonNullable<CountedBody['system']>): ChatMessage {
  if (typeof content === 'string') return { role: 'system', content };
  return { role: 'system', content: content.map(({ text }) => ({ type: 'text', text })) };
}

/** Adds results of tools, which must follow their calls, then the rest as one message. */
function addUserBlocks(conversation: Conversation, blocks: readonly UserBlock[], path: string): void {
  const place: Place = { message: path, content: [], tool_calls: [] };
  const parts: UserPart[] = [];
  const keep = (more: readonly UserPart[], at: string) => {
    parts.push(...more);
    place.content.push(...more.map(() => at));
  };
  for (const [index, block] of blocks.entries()) {
    const at = `${path}.content.${index}`;
    if (block.type !== 'tool_result') {
      keep(partsOf(block), at);
      continue;
    }
    const { result, files } = readResult(block);
    add(conversation, result, { message: at, content: [], tool_calls: [] });
    if (files.length > 0) keep([{ type: 'text', text: `Files in the result of ${block.tool_use_id}:` }, ...files], at);
  }
  if (parts.length > 0) add(conversation, { role: 'user', content: parts }, place);
}

/** Separates the files of a result: in chats, only messages of users may have them. */
function readResult({ tool_use_id, content, is_error }: Block<'tool_result'>) {
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : (content ?? []);
  const parts = blocks.flatMap(partsOf);
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part] : []));
  const files = parts.filter(({ type }) => type !== 'text');
  const said = texts.length > 0 || files.length === 0 ? texts : [{ text: 'The files follow in the next message.' }];
  const text = said.map((one) => one.text).join('\n');
  const result = { role: 'tool' as const, tool_call_id: tool_use_id, content: is_error ? `Error: ${text}` : text };
  return { result, files };
}

function partsOf(block: PartBlock): UserPart[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: block.text }];
    case 'image':
      return [imagePart(block)];
    case 'search_result':
      return [block.title, block.source, ...block.content.map(({ text }) => text)].map((text) => ({
        type: 'text',
        text,
      }));
    case 'tool_reference':
      return [{ type: 'text', text: `The tool ${block.tool_name} can be called now.` }];
    default:
      return documentParts(block);
  }
}

function imagePart({ source }: Block<'image'>): UserPart {
  if (source.type === 'base64')
    return { type: 'image_url', image_url: { url: `data:${source.media_type};base64,${source.data}` } };
  return { type: 'image_url', image_url: { url: source.type === 'url' ? source.url : source.file_id } };
}

function documentParts({ source, title, context }: Block<'document'>): UserPart[] {
  // The title of a file is its name.
  const isFile = source.type === 'base64' || source.type === 'file';
  const about = [isFile ? null : title, context].filter(Boolean).join('\n');
  const heading: UserPart[] = about === '' ? [] : [{ type: 'text', text: about }];
  const filename = title ?? undefined;
  switch (source.type) {
    case 'base64':
      return [
        ...heading,
        { type: 'file', file: { file_data: `data:application/pdf;base64,${source.data}`, filename } },
      ];
    case 'file':
      return [...heading, { type: 'file', file: { file_id: source.file_id, filename } }];
    case 'text':
      return [...heading, { type: 'text', text: source.data }];
    case 'content': {
      const { content } = source;
      return [
        ...heading,
        ...(typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content.flatMap(partsOf)),
      ];
    }
    default:
      throw source satisfies never;
  }
}

function assistantMessage(blocks: readonly AssistantBlock[], place: Place): ChatMessage {
  const message: Extract<ChatMessage, { role: 'assistant' }> = { role: 'assistant' };
  for (const [index, block] of blocks.entries()) {
    switch (block.type) {
      case 'text':
        message.content = `${message.content ?? ''}${block.text}`;
        break;
      case 'tool_use':
        place.tool_calls.push(`${place.message}.content.${index}`);
        message.tool_calls ??= [];
        message.tool_calls.push({
          id: block.id,
          type: 'function',
          function: { name: block.name, arguments: JSON.stringify(block.input) },
        });
        break;
      case 'thinking':
      case 'redacted_thinking': {
        const [text, signature] = block.type === 'thinking' ? [block.thinking, block.signature] : ['', block.data];
        message.reasoning_blocks ??= [];
        message.reasoning_blocks.push({ text, ...(signature && { signature }) });
        break;
      }
      default:
        throw block satisfies never;
    }
  }
  return message;
}

function invalid(path: string, message: string): ChorusError {
  return new ChorusError('invalid_request', `${path}: ${message}`, { details: [{ path, message }] });
}
