import type { FakeConversation } from './fake-turn.ts';

type Fields = Record<string, unknown>;
type Content = string | { text?: string; type?: string }[] | null | undefined;

export const textOf = (content: Content): string =>
  typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');

/** Collects a conversation from its messages, in order. */
export class ConversationReader {
  readonly #conversation: FakeConversation;
  #calling = false;

  constructor(rest: Pick<FakeConversation, 'tools' | 'choice' | 'parallel' | 'schema' | 'reasons'>) {
    this.#conversation = { ...rest, texts: [], lastUserText: '', results: [] };
  }

  text(text: string): void {
    this.#conversation.texts.push(text);
  }

  user(text: string): void {
    this.text(text);
    this.#conversation.lastUserText = text;
    this.#conversation.results = [];
    this.#calling = false;
  }

  calls(): void {
    this.#calling = true;
  }

  result(text: string): void {
    this.text(text);
    const { results } = this.#conversation;
    if (this.#calling || results.length === 0) results.push([]);
    this.#calling = false;
    results.at(-1)?.push(text);
  }

  end(): FakeConversation {
    return this.#conversation;
  }
}

/** Reads a request of chat completions. */
export function readChat(body: Fields): FakeConversation {
  const tools = (body.tools ?? []) as { function: { name: string; parameters?: unknown } }[];
  const choice = body.tool_choice as FakeConversation['choice'] | 'any' | { function: { name: string } } | undefined;
  const format = body.response_format as { type: string; json_schema?: { schema?: unknown } } | undefined;
  const reader = new ConversationReader({
    tools: tools.map(({ function: { name, parameters } }) => ({ name, schema: parameters })),
    choice:
      typeof choice === 'object' && 'function' in choice
        ? choice.function
        : choice === 'any'
          ? 'required'
          : (choice ?? 'auto'),
    parallel: body.parallel_tool_calls !== false,
    schema: format === undefined || format.type === 'text' ? undefined : (format.json_schema?.schema ?? {}),
  });
  for (const { role, content, tool_calls } of (body.messages ?? []) as Message[]) {
    if (role === 'user') reader.user(textOf(content));
    else if (role === 'tool') reader.result(textOf(content));
    else {
      reader.text(textOf(content));
      if (tool_calls) reader.calls();
    }
  }
  return reader.end();
}

export interface Message {
  role: string;
  content?: Content;
  refusal?: string;
  tool_calls?: { id: string; type: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}
