import { createHash } from 'node:crypto';
import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolCallPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import { type ChatMessage, messageText, reasoningOf, type ToolCall } from '@chorus/contract';
import type { ChatDialect } from './chat-dialect.ts';
import { audioPart, filePart, imagePart, invalid } from './prompt-files.ts';
import { type PartMetadata, readSignature } from './signature.ts';

type Message<Role extends ChatMessage['role']> = Extract<ChatMessage, { role: Role }>;
type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];
type UserPart = Exclude<Message<'user'>['content'], string>[number];

/**
 * Converts a conversation for a provider package.
 *
 * @param model `provider/model`
 * @throws ChorusError `invalid_request` for content that cannot be sent
 */
export function toPrompt(messages: ChatMessage[], dialect: ChatDialect, model: string): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = [];
  const callNames = new Map<string, string>();
  const lastAsk = messages.findLastIndex(({ role }) => role === 'user');
  let systemMessages = 0;
  messages.forEach((message, index) => {
    const path = `messages[${index}]`;
    switch (message.role) {
      case 'system':
      case 'developer': {
        const at = dialect.systemFirst ? systemMessages : prompt.length;
        prompt.splice(at, 0, { role: 'system', content: messageText(message), ...nameOf(message, dialect) });
        systemMessages += 1;
        return;
      }
      case 'user':
        prompt.push(userMessage(message, dialect, path));
        return;
      case 'assistant':
        for (const call of message.tool_calls ?? []) callNames.set(call.id, call.function.name);
        prompt.push(assistantMessage(message, dialect, model, index > lastAsk));
        return;
      case 'tool': {
        const toolName = callNames.get(message.tool_call_id);
        if (toolName === undefined)
          throw invalid(`${path}.tool_call_id`, `no earlier message calls a tool as ${message.tool_call_id}`);
        const toolCallId = callIdFor(message.tool_call_id, dialect);
        const output = { type: 'text' as const, value: messageText(message) };
        const last = prompt.at(-1);
        // Results of one turn belong together.
        const results = last?.role === 'tool' ? last : { role: 'tool' as const, content: [] };
        results.content.push({ type: 'tool-result', toolCallId, toolName, output });
        if (results !== last) prompt.push(results);
        return;
      }
      default:
        throw message satisfies never;
    }
  });
  return prompt;
}

function userMessage(message: Message<'user'>, dialect: ChatDialect, path: string): LanguageModelV4Message {
  const { content } = message;
  const name = nameOf(message, dialect);
  if (typeof content !== 'string')
    return {
      role: 'user',
      content: content.map((part, index) => userPart(part, `${path}.content[${index}]`)),
      ...name,
    };
  // One package reads the name of a text message from its part.
  return { role: 'user', content: [{ type: 'text', text: content, ...name }], ...name };
}

function userPart(part: UserPart, path: string) {
  switch (part.type) {
    case 'text':
      return { type: 'text' as const, text: part.text };
    case 'image_url':
      return imagePart(part, path);
    case 'input_audio':
      return audioPart(part, path);
    case 'file':
      return filePart(part, path);
    default:
      throw part satisfies never;
  }
}

/**
 * Converts an assistant's message. Reasoning returns to its place between text and calls.
 *
 * @param calling Whether no user message follows, so that the model is in a chain of tool calls.
 */
function assistantMessage(
  message: Message<'assistant'>,
  dialect: ChatDialect,
  model: string,
  calling: boolean,
): LanguageModelV4Message {
  const text = [messageText(message), ...refusalsOf(message)].filter(Boolean).join('\n');
  const calls = (message.tool_calls ?? []).map((call) => callPart(call, dialect, model));
  const content: AssistantPart[] = [];
  let textAt = 0;
  let callsAt = 0;
  const advance = (toText: number, toCalls: number) => {
    if (toText > textAt) content.push({ type: 'text', text: text.slice(textAt, toText) });
    textAt = Math.max(textAt, toText);
    content.push(...calls.slice(callsAt, toCalls));
    callsAt = Math.max(callsAt, toCalls);
  };
  for (const { part, at } of reasoningParts(message, dialect, model, calling)) {
    advance(Math.min(at[0], text.length), at[1]);
    content.push(part);
  }
  advance(text.length, calls.length);
  // Providers refuse reasoning that nothing follows, for example in a truncated answer.
  while (dialect.reasoning === 'signed' && content.at(-1)?.type === 'reasoning') content.pop();
  if (content.length === 0) content.push({ type: 'text', text });
  return { role: 'assistant', content, ...nameOf(message, dialect) };
}

function refusalsOf({ content, refusal }: Message<'assistant'>): string[] {
  const parts = typeof content === 'string' || content == null ? [] : content;
  return [...parts.map((part) => (part.type === 'refusal' ? part.refusal : '')), refusal ?? ''];
}

interface PlacedReasoning {
  part: Extract<AssistantPart, { type: 'reasoning' }>;
  /** Number of characters of text, and of calls, before it. */
  at: [number, number];
}

function reasoningParts(
  message: Message<'assistant'>,
  dialect: ChatDialect,
  model: string,
  calling: boolean,
): PlacedReasoning[] {
  const placed = reasoningOf(message).flatMap(({ text, signature }): (PlacedReasoning & { meta: PartMetadata })[] => {
    const signed = readSignature(signature, model);
    if (signed === null) {
      const taken = dialect.reasoning === 'any' && signature === undefined && calling && text !== '';
      return taken ? [{ part: { type: 'reasoning', text }, at: [0, 0], meta: {} }] : [];
    }
    if (dialect.reasoning !== 'signed' && !calling) return [];
    const { meta, pad = 0, at = [0, 0] } = signed;
    return [{ part: { type: 'reasoning', text: text.slice(pad), ...optionsOf(meta, dialect) }, at, meta }];
  });
  if (dialect.reasoning !== 'signed') return placed;
  // Only the last part of an OpenAI reasoning item is encrypted. OpenAI cannot find items without it.
  const encrypted = new Set(placed.filter(({ meta }) => meta.reasoningEncryptedContent).map(({ meta }) => meta.itemId));
  return placed.filter(({ meta: { itemId } }) => itemId === undefined || encrypted.has(itemId));
}

function callPart(
  { id, function: { name, arguments: args }, signature }: ToolCall,
  dialect: ChatDialect,
  model: string,
): LanguageModelV4ToolCallPart {
  return {
    type: 'tool-call',
    toolCallId: callIdFor(id, dialect),
    toolName: name,
    input: inputOf(args),
    ...optionsOf(readSignature(signature, model)?.meta ?? {}, dialect),
  };
}

function optionsOf(meta: PartMetadata, { namespace }: ChatDialect): { providerOptions?: SharedV4ProviderOptions } {
  return Object.keys(meta).length === 0 ? {} : { providerOptions: { [namespace]: meta } };
}

/** Keeps JSON objects as they were written. Providers accept nothing else, so other text is wrapped in an object. */
function inputOf(args: string): unknown {
  if (args.trim() === '') return {};
  try {
    const parsed: unknown = JSON.parse(args);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return args;
  } catch {}
  return { invalid_arguments: args };
}

/** Replaces ids that the provider does not accept. The same id always gets the same replacement. */
function callIdFor(id: string, { callIds }: ChatDialect): string {
  if (callIds === undefined || callIds.pattern.test(id)) return id;
  return callIds.prefix + createHash('sha256').update(id).digest('hex').slice(0, callIds.length);
}

function nameOf({ name }: { name?: string | null | undefined }, { names }: ChatDialect) {
  return name == null || names === undefined ? {} : { providerOptions: { [names]: { name } } };
}

/** Removes data that must come from the same model, for a provider that did not accept it. */
export function withoutSignatures(messages: ChatMessage[]): ChatMessage[] {
  return messages.map((message) => {
    if (message.role !== 'assistant') return message;
    const { reasoning_content: _, reasoning_signature: _1, reasoning_blocks: _2, tool_calls, ...rest } = message;
    const calls = tool_calls?.map(({ signature: _3, ...call }) => call);
    return { ...rest, ...(calls !== undefined && { tool_calls: calls }) };
  });
}
