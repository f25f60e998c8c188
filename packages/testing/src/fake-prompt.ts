import { createHash } from 'node:crypto';
import type { FakeRequest } from './fake-server.ts';

/** A large image or file in a body counts as this many tokens. */
const FILE_TOKENS = 1_000;
const MIN_FILE_LENGTH = 10_000;
const LETTERS_PER_TOKEN = 4;

/** Returns the words that a request is about: its last user message, prompt, text, or the hash of its file. */
export function promptOf({ body, form }: FakeRequest): string {
  const { messages, input, contents, prompt, text, instances, requests, content } = body;
  const asked = [messages, input, contents, prompt, text, instances, requests, content].find((one) => one != null);
  if (asked !== undefined) return textIn(lastOf(asked));
  const field = form.find(({ name }) => name === 'prompt')?.value;
  if (typeof field === 'string' && field !== '') return field;
  const file = form.find(({ value }) => typeof value !== 'string')?.value;
  return file === undefined ? '' : createHash('sha256').update(file).digest('hex');
}

/** Returns the last user message of a conversation, and anything else unchanged. */
function lastOf(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const turns = value.filter((one) => typeof one === 'object' && one !== null && ('role' in one || 'parts' in one));
  return turns.length === 0 ? value : turns.findLast(({ role }) => role === undefined || role === 'user');
}

function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textIn).filter(Boolean).join(' ');
  if (typeof value !== 'object' || value === null) return '';
  const { text, content, parts, prompt } = value as Record<string, unknown>;
  return textIn(text ?? content ?? parts ?? prompt);
}

/** Estimates the tokens that a request will use: its input and, if it sets one, the limit of its output. */
export function tokensOf({ body }: FakeRequest): { input: number; output: number | null } {
  const { max_tokens, max_completion_tokens, max_output_tokens, generationConfig } = body;
  const { maxOutputTokens } = (generationConfig ?? {}) as { maxOutputTokens?: unknown };
  const output = max_tokens ?? max_completion_tokens ?? max_output_tokens ?? maxOutputTokens;
  return { input: inputTokens(body), output: typeof output === 'number' ? output : null };
}

function inputTokens(value: unknown): number {
  if (typeof value === 'string') {
    const isFile = value.length >= MIN_FILE_LENGTH && !value.slice(0, MIN_FILE_LENGTH).includes(' ');
    return isFile ? FILE_TOKENS : Math.ceil(value.length / LETTERS_PER_TOKEN);
  }
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, one) => sum + inputTokens(one), 0);
}
