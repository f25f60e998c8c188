import type { ChatMessage, ToolCall } from '../chat.ts';
import { clientToolsIn, functionNameOf, TOOL_SEARCH, toArguments } from './client-tools.ts';
import type { ConversationItem, ConversationMessage } from './input-items.ts';
import { McpApprovals, outcomeOf } from './mcp-approvals.ts';

type Assistant = Extract<ChatMessage, { role: 'assistant' }>;
type UserPart = Exclude<Extract<ChatMessage, { role: 'user' }>['content'], string>[number];
type Output = Pick<Extract<ConversationItem, { type: 'function_call_output' }>, 'call_id' | 'output'>;
type InputPart = Exclude<Extract<ConversationMessage, { role: 'user' }>['content'], string>[number];

/**
 * Converts the items of a conversation to chat messages.
 * @param outcomes of calls that this response runs, by the ids of their approval requests
 */
export function toChatMessages(items: readonly ConversationItem[], outcomes?: Outcomes): ChatMessage[] {
  return convertItems(items, outcomes).messages;
}

/** Like `toChatMessages`, with the index of the last item behind each message. */
export function convertItems(
  items: readonly ConversationItem[],
  outcomes: Outcomes = new Map(),
): { messages: ChatMessage[]; origins: number[] } {
  const conversion = new Conversion(new McpApprovals(items), outcomes);
  const origins: number[] = [];
  for (const [index, item] of items.entries()) {
    conversion.add(item);
    while (origins.length < conversion.messages.length) origins.push(index);
  }
  const messages = conversion.end();
  while (origins.length < messages.length) origins.push(items.length - 1);
  return { messages, origins };
}

type Outcomes = ReadonlyMap<string, string>;

/**
 * An answer's reasoning, text, and calls become one assistant message. Images and files in the results of calls
 * follow in a user message, since tool messages hold text only.
 */
class Conversion {
  readonly messages: ChatMessage[] = [];
  readonly #approvals: McpApprovals;
  readonly #outcomes: Outcomes;
  /** Results of the answer's calls that the server ran. */
  #results: Extract<ChatMessage, { role: 'tool' }>[] = [];
  #answer: Assistant | null = null;
  #media: UserPart[] = [];

  constructor(approvals: McpApprovals, outcomes: Outcomes) {
    this.#approvals = approvals;
    this.#outcomes = outcomes;
  }

  add(item: ConversationItem): void {
    switch (item.type) {
      case 'mcp_list_tools':
      case 'mcp_approval_response':
      case 'additional_tools':
        return;
      case 'function_call_output':
      case 'custom_tool_call_output':
        this.#endAnswer();
        this.#addResult(item);
        return;
      case 'tool_search_output':
        this.#endAnswer();
        this.#addResult({ call_id: item.call_id, output: describeFound(item.tools) });
        return;
      case 'mcp_call':
        // An approved call takes the position of its request.
        if (this.#approvals.requestOf(item) === undefined) this.#addServerCall(item, outcomeOf(item));
        return;
      case 'mcp_approval_request':
        this.#addServerCall(item, this.#approvals.outcomeOf(item) ?? this.#outcomes.get(item.id) ?? '');
        return;
      case 'function_call':
        this.#endResults();
        this.#addCall({ ...item, id: item.call_id, name: functionNameOf(item) });
        return;
      case 'custom_tool_call':
        this.#endResults();
        this.#addCall({ ...item, id: item.call_id, name: functionNameOf(item), arguments: toArguments(item.input) });
        return;
      case 'tool_search_call':
        this.#endResults();
        this.#addCall({
          ...item,
          id: item.call_id,
          name: TOOL_SEARCH,
          arguments: JSON.stringify(item.arguments ?? {}),
        });
        return;
      case 'reasoning':
        this.#endResults();
        this.#addReasoning(item);
        return;
      default:
        this.#endResults();
        this.#addMessage(item);
    }
  }

  end(): ChatMessage[] {
    this.#endAnswer();
    this.#endResults();
    return this.messages;
  }

  #addMessage(message: ConversationMessage): void {
    if (message.role === 'assistant') return void this.#addAnswer(message);
    this.#endAnswer();
    const { role, content } = message;
    if (typeof content === 'string') this.messages.push({ role, content });
    else if (content.length === 0) this.messages.push({ role, content: '' });
    else if (role === 'user') this.messages.push({ role, content: content.map(userPart) });
    else this.messages.push({ role, content: content.map(textPart) });
  }

  #addAnswer({ content }: Extract<ConversationMessage, { role: 'assistant' }>): void {
    const isNext = this.#results.length > 0 || (this.#answer?.content != null && !this.#answer.tool_calls);
    if (isNext) this.#endAnswer();
    const answer = this.#open();
    const parts = typeof content === 'string' ? [textPart({ text: content })] : content.map(answerPart);
    const held = typeof answer.content === 'string' ? [textPart({ text: answer.content })] : (answer.content ?? []);
    const [first, ...others] = [...held, ...parts];
    if (first === undefined) answer.content = '';
    else answer.content = others.length === 0 && first.type === 'text' ? first.text : [first, ...others];
  }

  #addCall(call: Call): void {
    const answer = this.#open();
    answer.tool_calls = [...(answer.tool_calls ?? []), callOf(call)];
  }

  #addServerCall(call: Call, content: string): void {
    this.#endResults();
    this.#addCall(call);
    this.#results.push({ role: 'tool', tool_call_id: call.id, content });
  }

  #addReasoning({ summary, content, encrypted_content }: Extract<ConversationItem, { type: 'reasoning' }>): void {
    const held = this.#answer;
    if (this.#results.length > 0) this.#endAnswer();
    else if (held && !held.tool_calls && (held.content != null || held.reasoning_content != null)) this.#endAnswer();
    const answer = this.#open();
    const text = [...(content?.length ? content : summary)].map((part) => part.text).join('\n\n');
    answer.reasoning_content = [answer.reasoning_content, text].filter(Boolean).join('\n\n');
    if (encrypted_content != null) answer.reasoning_signature ??= encrypted_content;
  }

  #addResult({ call_id, output }: Output): void {
    const texts: string[] = [];
    for (const part of typeof output === 'string' ? [{ type: 'input_text' as const, text: output }] : output) {
      if (part.type === 'input_text') texts.push(part.text);
      else this.#media.push({ type: 'text', text: `Part of the result of ${call_id}:` }, userPart(part));
    }
    this.messages.push({ role: 'tool', tool_call_id: call_id, content: texts.join('\n') });
  }

  #open(): Assistant {
    this.#answer ??= { role: 'assistant' };
    return this.#answer;
  }

  #endAnswer(): void {
    const answer = this.#answer;
    this.#answer = null;
    // Reasoning alone is no message.
    if (answer?.content != null || answer?.tool_calls) this.messages.push(answer);
    this.messages.push(...this.#results);
    this.#results = [];
  }

  #endResults(): void {
    if (this.#media.length > 0) this.messages.push({ role: 'user', content: this.#media });
    this.#media = [];
  }
}

type AnswerPart = Exclude<NonNullable<Assistant['content']>, string>[number];
type GivenAnswerPart = Exclude<Extract<ConversationMessage, { role: 'assistant' }>['content'], string>[number];

function answerPart(part: GivenAnswerPart): AnswerPart {
  return part.type === 'refusal' ? part : textPart(part);
}

const textPart = ({ text }: { text: string }) => ({ type: 'text' as const, text });

function userPart(part: InputPart): UserPart {
  switch (part.type) {
    case 'input_text':
      return textPart(part);
    case 'input_audio':
      return part;
    case 'input_file': {
      const { file_data, file_id, filename } = part;
      return {
        type: 'file',
        file: { ...(file_data && { file_data }), ...(file_id && { file_id }), ...(filename && { filename }) },
      };
    }
    case 'input_image': {
      const { image_url: url, file_id, detail } = part;
      return { type: 'image_url', image_url: { url: url ?? file_id ?? '', ...(detail && { detail }) } };
    }
    default:
      throw part satisfies never;
  }
}

/** A call, with the id that its result names. */
interface Call {
  id: string;
  name: string;
  arguments: string;
  signature?: string | undefined;
}

function callOf({ id, name, arguments: text, signature }: Call): ToolCall {
  return {
    id,
    type: 'function',
    function: { name, arguments: text },
    ...(signature !== undefined && { signature }),
  };
}

function describeFound(tools: Parameters<typeof clientToolsIn>[0]): string {
  const names = clientToolsIn(tools).map(({ shown }) => shown.name);
  return names.length === 0 ? 'No tools were found.' : `These tools can be called now: ${names.join(', ')}`;
}
