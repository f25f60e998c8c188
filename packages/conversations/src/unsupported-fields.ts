import {
  type ChatRequest,
  ChorusError,
  type OpenAiMessage,
  type SamplingSettings,
  type WorkerHealth,
} from '@chorus/contract';

type Workers = readonly Pick<WorkerHealth, 'models'>[];
interface Issue {
  path: string;
  message: string;
}

/**
 * Fields of OpenAI's API, and of servers that speak it, that change the answer and that no model here can honour. Each with a test of the
 * values that ask for nothing.
 */
const CHANGES_ANSWER: Record<string, (value: unknown) => boolean> = {
  n: (value) => value === 1,
  logit_bias: isEmpty,
  logprobs: (value) => value === false,
  top_logprobs: (value) => value === 0,
  tools: isEmpty,
  tool_choice: (value) => value === 'none' || value === 'auto',
  functions: isEmpty,
  function_call: (value) => value === 'none' || value === 'auto',
  response_format: (value) => (value as { type?: unknown }).type === 'text',
  reasoning_effort: never,
  reasoning: never,
  thinking: never,
  verbosity: never,
  modalities: (value) => Array.isArray(value) && value.every((one) => one === 'text'),
  audio: never,
  web_search_options: never,
  plugins: isEmpty,
  top_k: never,
  min_p: never,
  top_a: never,
  typical_p: never,
  repetition_penalty: (value) => value === 1,
  min_tokens: (value) => value === 0,
  ignore_eos: (value) => value === false,
  guided_json: never,
  guided_regex: never,
  guided_choice: never,
  guided_grammar: never,
};

/** The built-in assistant picks its words by rules, so these change nothing. */
const RULE_BASED_MODEL = 'embedded/assistant';
const SAMPLING = ['temperature', 'top_p', 'seed', 'presence_penalty', 'frequency_penalty'] as const;

const MAX_NAMED = 50;
const FIELD_NAME = /^[\w.-]{1,64}$/;

/**
 * Refuses what changes the answer and is not honoured.
 *
 * @param known the fields that a request may have
 * @param at where the request stands, for errors
 * @returns the names of harmless fields that are ignored
 * @throws {ChorusError} `invalid_request` that names the fields and the model
 */
export function checkFields(
  request: Partial<ChatRequest>,
  { known, model, at = 'body' }: { known: ReadonlySet<string>; model: string; at?: string },
): string[] {
  const given = Object.keys(request).filter((name) => request[name] != null);
  const refused = given
    .filter((name) => Object.hasOwn(CHANGES_ANSWER, name) && !CHANGES_ANSWER[name]?.(request[name]))
    .map((name) => ({ path: `${at}.${name}`, message: `is not supported with ${model}` }));
  refuse([...refused, ...toolMessages(request.messages ?? [], at)]);
  const ignored = given.filter((name) => !known.has(name) && !Object.hasOwn(CHANGES_ANSWER, name));
  if (model === RULE_BASED_MODEL) ignored.push(...SAMPLING.filter((name) => request[name] != null));
  return ignored.filter((name) => FIELD_NAME.test(name)).slice(0, MAX_NAMED);
}

/**
 * Refuses settings that the model is known not to take. What is not known here fails the execution with the same error.
 *
 * @throws {ChorusError} `invalid_request` that names the settings and the model
 */
export function checkSettings(workers: Workers, model: string, settings: SamplingSettings, at = 'body'): void {
  const listed = workers.flatMap(({ models }) => models.filter(({ id }) => id === model));
  const unsupported = new Set(listed.flatMap(({ unsupported_settings = [] }) => unsupported_settings));
  const names = Object.keys(settings).filter((name) => unsupported.has(name));
  refuse(names.map((name) => ({ path: `${at}.${name}`, message: `is not supported by ${model}` })));
}

/** Calls of tools and their results would never reach the model. */
function toolMessages(messages: readonly OpenAiMessage[], at: string): Issue[] {
  return messages.flatMap((message, index) => {
    const path = `${at}.messages.${index}`;
    if (message.role === 'tool' || message.role === 'function')
      return [{ path: `${path}.role`, message: `\`${message.role}\` is not supported` }];
    if (message.role !== 'assistant') return [];
    const calls = (['tool_calls', 'function_call'] as const).filter((name) => !isEmpty(message[name] ?? []));
    return calls.map((name) => ({ path: `${path}.${name}`, message: 'is not supported' }));
  });
}

function refuse(issues: Issue[]): void {
  const [first] = issues;
  if (first === undefined) return;
  const name = first.path.replace(/^body\./, '');
  throw new ChorusError('invalid_request', `\`${name}\` ${first.message}.`, { details: issues.slice(0, 20) });
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function never(): boolean {
  return false;
}
