import { createHash } from 'node:crypto';
import type { FakeBehavior } from './fake-behavior.ts';
import { invalid } from './fake-chat-checks.ts';
import { ConversationReader, textOf } from './fake-conversation.ts';
import type { FakeConversation } from './fake-turn.ts';

type Fields = Record<string, unknown>;
type Problem = FakeBehavior['error'];

interface Block {
  type: string;
  text?: string;
  thinking?: string;
  signature?: string;
  id?: string;
  input?: unknown;
  tool_use_id?: string;
  content?: string | { text?: string }[];
}

interface Message {
  role: string;
  content: string | Block[];
}

/** Signs thinking. A request that sends it back must have the same signature. */
export const signThinking = (text: string): string => `signed-${createHash('sha256').update(text).digest('hex')}`;

const blocksOf = ({ content }: Message): Block[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

const thinks = ({ thinking }: Fields): boolean =>
  ['enabled', 'adaptive'].includes((thinking as { type?: string } | undefined)?.type ?? '');

export function readAnthropic(body: Fields): FakeConversation {
  const tools = (body.tools ?? []) as { name: string; input_schema?: unknown }[];
  const choice = body.tool_choice as { type: string; name?: string; disable_parallel_tool_use?: boolean } | undefined;
  const format = (body.output_config as { format?: { schema?: unknown } } | undefined)?.format;
  const reader = new ConversationReader({
    tools: tools.map(({ name, input_schema }) => ({ name, schema: input_schema })),
    choice:
      choice?.type === 'tool'
        ? { name: choice.name ?? '' }
        : choice?.type === 'any'
          ? 'required'
          : choice?.type === 'none'
            ? 'none'
            : 'auto',
    parallel: choice?.disable_parallel_tool_use !== true,
    schema: format?.schema,
    reasons: thinks(body),
  });
  for (const { text } of (body.system ?? []) as Block[]) reader.text(text ?? '');
  for (const message of body.messages as Message[]) {
    const blocks = blocksOf(message);
    const text = blocks.map((block) => block.text ?? '').join('');
    if (message.role === 'assistant') {
      reader.text(text);
      if (blocks.some(({ type }) => type === 'tool_use')) reader.calls();
    } else {
      const results = blocks.filter(({ type }) => type === 'tool_result');
      if (results.length === 0 || text !== '') reader.user(text);
      for (const { content } of results) reader.result(textOf(content));
    }
  }
  return reader.end();
}

/** Finds the first mistake in a request, in Anthropic's wording. */
export function checkAnthropic(body: Fields): Problem | null {
  const messages = (body.messages ?? []) as Message[];
  if (messages.length === 0) return invalid('messages: at least one message is required');
  if (body.max_tokens === undefined) return invalid('max_tokens: Field required');
  return checkBlocks(messages) ?? checkPairs(messages) ?? checkTools(body, messages) ?? checkThinking(body, messages);
}

function checkBlocks(messages: Message[]): Problem | null {
  for (const [index, message] of messages.entries())
    for (const [at, block] of blocksOf(message).entries()) {
      const path = `messages.${index}.content.${at}`;
      if (block.type === 'text' && block.text === '') return invalid('messages: text content blocks must be non-empty');
      if (block.type === 'tool_use' && !/^[a-zA-Z0-9_-]+$/.test(block.id ?? ''))
        return invalid(`${path}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
      if (block.type === 'tool_use' && (typeof block.input !== 'object' || block.input === null))
        return invalid(`${path}.tool_use.input: Input should be a valid dictionary`);
      if (block.type === 'thinking' && block.signature !== signThinking(block.thinking ?? ''))
        return invalid(`${path}: Invalid \`signature\` in \`thinking\` block`);
    }
  return null;
}

/** Every tool use needs its result in the next message, and every result its use in the one before. */
function checkPairs(messages: Message[]): Problem | null {
  for (const [index, message] of messages.entries()) {
    const uses = blocksOf(message).flatMap(({ type, id }) => (type === 'tool_use' ? [id] : []));
    const next = messages[index + 1];
    const results = next ? blocksOf(next).flatMap(({ tool_use_id }) => tool_use_id ?? []) : [];
    const lost = uses.filter((id) => !results.includes(id ?? ''));
    if (lost.length > 0)
      return invalid(
        `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${lost.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      );
    const before = messages[index - 1];
    const used = before ? blocksOf(before).flatMap(({ type, id }) => (type === 'tool_use' ? [id] : [])) : [];
    for (const [at, { type, tool_use_id }] of blocksOf(message).entries())
      if (type === 'tool_result' && !used.includes(tool_use_id))
        return invalid(
          `messages.${index}.content.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
        );
  }
  return null;
}

function checkTools(body: Fields, messages: Message[]): Problem | null {
  const tools = body.tools as { input_schema?: { type?: string } }[] | undefined;
  const hasUses = messages.some((message) => blocksOf(message).some(({ type }) => type === 'tool_use'));
  if (hasUses && !tools?.length)
    return invalid('Requests which include `tool_use` or `tool_result` blocks must define tools');
  const wrong = tools?.findIndex(({ input_schema }) => input_schema?.type !== 'object') ?? -1;
  return wrong < 0 ? null : invalid(`tools.${wrong}.custom.input_schema.type: Input should be 'object'`);
}

function checkThinking(body: Fields, messages: Message[]): Problem | null {
  if (!thinks(body)) return null;
  const { budget_tokens: budget = 0 } = body.thinking as { budget_tokens?: number };
  if (budget >= Number(body.max_tokens)) return invalid('`max_tokens` must be greater than `thinking.budget_tokens`.');
  if (body.temperature !== undefined && body.temperature !== 1)
    return invalid('`temperature` may only be set to 1 when thinking is enabled.');
  if (['any', 'tool'].includes((body.tool_choice as { type?: string } | undefined)?.type ?? ''))
    return invalid('Thinking may not be enabled when tool_choice forces tool use.');
  const index = messages.findLastIndex(({ role }) => role === 'assistant');
  const last = messages[index];
  const blocks = last ? blocksOf(last) : [];
  const [first] = blocks;
  if (!first || !blocks.some(({ type }) => type === 'tool_use') || /thinking$/.test(first.type)) return null;
  return invalid(
    `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
  );
}
