import {
  acceptsImages,
  type ChatRequest,
  type ChatSettings,
  ChorusError,
  type OpenAiMessage,
  refusalOf,
  unsupportedUse,
  type WorkerHealth,
} from '@chorus/contract';

type Workers = readonly Pick<WorkerHealth, 'models'>[];
interface Issue {
  path: string;
  message: string;
}

/**
 * Unsupported fields of OpenAI's API and compatible servers that change the answer. Each maps to a test for
 * values that have no effect.
 */
const CHANGES_ANSWER: Record<string, (value: unknown) => boolean> = {
  n: (value) => value === 1,
  functions: isEmpty,
  function_call: (value) => value === 'none' || value === 'auto',
  reasoning: never,
  thinking: never,
  modalities: (value) => Array.isArray(value) && value.every((one) => one === 'text'),
  audio: never,
  prediction: never,
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

const MAX_NAMED = 50;
const FIELD_NAME = /^[\w.-]{1,64}$/;

/**
 * Refuses unsupported fields that change the answer.
 * @param known the fields that a request may have
 * @param at prefix of paths in errors
 * @returns the names of harmless fields that are ignored
 * @throws {ChorusError} `invalid_request` that names the fields and the model
 */
export function checkFields(
  request: Partial<ChatRequest>,
  { known, workers, model, at = 'body' }: { known: ReadonlySet<string>; workers: Workers; model: string; at?: string },
): string[] {
  const given = Object.keys(request).filter((name) => request[name] != null);
  const refused = given
    .filter((name) => Object.hasOwn(CHANGES_ANSWER, name) && !CHANGES_ANSWER[name]?.(request[name]))
    .map((name) => ({ path: `${at}.${name}`, message: `is not supported with ${model}` }));
  refuse([...refused, ...functionMessages(request.messages ?? [], at)]);
  const ignored = given.filter((name) => !known.has(name) && !Object.hasOwn(CHANGES_ANSWER, name));
  const idle = settingsOf(workers, model, 'ignored_settings');
  return [...ignored, ...given.filter((name) => idle.has(name))]
    .filter((name) => FIELD_NAME.test(name))
    .slice(0, MAX_NAMED);
}

/**
 * Refuses settings and messages that the model does not support. For unknown models, they fail in the execution
 * instead.
 * @throws {ChorusError} `invalid_request` that names the settings and the model
 */
export function checkSettings(
  workers: Workers,
  model: string,
  settings: ChatSettings,
  at = 'body',
  messages: readonly OpenAiMessage[] = [],
): void {
  const issues = unsupportedIn(workers, model, settings, messages);
  refuse(issues.map(({ path, message }) => ({ path: `${at}.${path}`, message })));
}

/** Refuses tool results for a model without tool calls. @throws {ChorusError} `invalid_request` */
export function checkToolOutputs(workers: Workers, model: string, at: string): void {
  if (!settingsOf(workers, model, 'unsupported_settings').has('tools')) return;
  const path = `${at}.tool_outputs`;
  refuse([{ path, message: refusalOf(model, { feature: 'tools', path }) }]);
}

/**
 * Checks that a model can call the tools of an agent, and that the request has no tools.
 * @returns the fallbacks that can call tools
 * @throws {ChorusError} `invalid_request` that names the field and the model
 */
export function checkAgentTools(
  workers: Workers,
  { tools, model: asked }: Pick<Partial<ChatRequest>, 'tools' | 'model'>,
  { model, fallbacks }: { model: string; fallbacks?: string[] | undefined },
  at: string,
): string[] | undefined {
  const callsTools = callsToolsWith(workers);
  if ((tools ?? []).length > 0)
    refuse([{ path: `${at}.tools`, message: 'cannot be used together with an agent that has tools' }]);
  if (!callsTools(model)) {
    const message = refusalOf(model, { feature: 'tools', path: 'agent.tools' });
    refuse([{ path: asked === undefined ? 'agent.tools' : `${at}.model`, message }]);
  }
  return fallbacks?.filter(callsTools);
}

/**
 * Checks that a model can call the tools of MCP servers.
 * @returns the fallbacks that can call tools
 * @throws {ChorusError} `invalid_request` that names the model
 */
export function checkServerTools(
  workers: Workers,
  { model, fallbacks }: { model: string; fallbacks?: string[] | undefined },
  at: string,
): string[] | undefined {
  const callsTools = callsToolsWith(workers);
  const path = `${at}.tools`;
  if (!callsTools(model)) refuse([{ path, message: refusalOf(model, { feature: 'tools', path }) }]);
  return fallbacks?.filter(callsTools);
}

function callsToolsWith(workers: Workers): (model: string) => boolean {
  return (model) => !settingsOf(workers, model, 'unsupported_settings').has('tools');
}

/** Returns whether a model is known to accept these settings and messages, or is unknown. */
export function supports(
  workers: Workers,
  model: string,
  settings: ChatSettings,
  messages: readonly OpenAiMessage[] = [],
): boolean {
  return unsupportedIn(workers, model, settings, messages).length === 0;
}

function unsupportedIn(
  workers: Workers,
  model: string,
  settings: ChatSettings,
  messages: readonly OpenAiMessage[],
): Issue[] {
  const unsupported = settingsOf(workers, model, 'unsupported_settings');
  const conversation = messages.map((message) => (message.role === 'function' ? { content: null } : message));
  const used = unsupportedUse(settings, conversation, unsupported).map((use) => ({
    path: use.path,
    message: refusalOf(model, use),
  }));
  const listed = workers.flatMap(({ models }) => models).find(({ id }) => id === model);
  const callsTools = !unsupported.has('tools');
  const seesImages = acceptsImages(listed);
  if (callsTools && seesImages) return used;
  const others = messages.flatMap((message, index): Issue[] => {
    const path = `messages.${index}`;
    const calls = message.role === 'tool' || (message.role === 'assistant' && (message.tool_calls ?? []).length > 0);
    if (calls && !callsTools) return [{ path, message: refusalOf(model, { feature: 'tools', path }) }];
    if (seesImages || message.role !== 'user' || typeof message.content === 'string') return [];
    const at = message.content.findIndex(({ type }) => type === 'image_url');
    return at < 0
      ? []
      : [{ path: `${path}.content.${at}`, message: `cannot be used: ${model} does not accept images` }];
  });
  return [...used, ...others];
}

/**
 * Refuses fields that the model does not support.
 * @throws {ChorusError} `invalid_request` that names the fields and the model
 */
export function checkSupported(workers: Workers, model: string, fields: readonly string[], at = 'body'): void {
  const unsupported = settingsOf(workers, model, 'unsupported_settings');
  const refused = fields.filter((name) => unsupported.has(name));
  refuse(refused.map((name) => ({ path: `${at}.${name}`, message: `is not supported by ${model}` })));
}

function settingsOf(workers: Workers, model: string, list: 'ignored_settings' | 'unsupported_settings') {
  const listed = workers.flatMap(({ models }) => models.filter(({ id }) => id === model));
  return new Set(listed.flatMap((record) => record[list] ?? []));
}

/** Finds OpenAI's deprecated function messages. */
function functionMessages(messages: readonly OpenAiMessage[], at: string): Issue[] {
  return messages.flatMap(({ role }, index) =>
    role === 'function'
      ? [{ path: `${at}.messages.${index}.role`, message: 'must not be `function`; use `tool` and `tool_calls`' }]
      : [],
  );
}

/** @throws {ChorusError} `invalid_request` that names the fields, if there are issues */
export function refuse(issues: readonly Issue[]): void {
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
