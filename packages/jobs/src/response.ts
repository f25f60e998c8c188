import {
  ChorusError,
  type ConversationItem,
  clientToolsIn,
  convertItems,
  type ResponseOptions,
  type ResponseRequest,
  response,
  responseOptions,
  responseRequest,
  responseSettings,
} from '@chorus/contract';
import { defineJobPlan } from './define-plan.ts';
import { checkMessageFiles } from './message-files.ts';
import { conversationOf } from './response-conversation.ts';
import { findServers } from './response-servers.ts';
import { turnSettings } from './turn-settings.ts';
import { checkServerTools } from './unsupported-fields.ts';

const KNOWN_FIELDS = new Set(Object.keys(responseRequest.shape));
const MAX_NAMED = 50;
const FIELD_NAME = /^[\w.-]{1,64}$/;

export const responseJob = defineJobPlan(response, {
  plan: async (request, requester, services) => {
    const { owner, agent, path } = requester;
    const own = givenOptions(request);
    const servers = await findServers(services.database, owner, own, path);
    const items = await conversationOf(services.database, owner, request, path);
    const given = withToolsIn(items, own);
    const { messages, origins } = convertItems(items);
    const asked = { model: request.model ?? undefined, settings: responseSettings(given), messages, path };
    const placeOf = placesOf(request, items.length, origins);
    const { model, settings, instructions, fallbacks } = await inResponseFields(path, placeOf, async () => {
      const found = await turnSettings(services, agent, asked);
      await checkMessageFiles(services, requester, messages);
      return found;
    });
    const options: ResponseOptions = {
      ...given,
      ...(instructions !== undefined && { instructions: given.instructions ?? instructions }),
      ...(settings.temperature !== undefined && { temperature: settings.temperature }),
    };
    const callers = servers && checkServerTools(await services.registry.recentWorkers(), { model, fallbacks }, path);
    const others = servers === undefined ? fallbacks : callers;
    const input = { model, ...(others && { fallbacks: others }), items, options, ...(servers && { servers }) };
    return { kind: 'response', model, input, ignoredFields: ignoredFields(request) };
  },
});

/** Maps fields of chat turns to fields of responses. */
const FIELDS: Readonly<Record<string, string>> = {
  max_tokens: 'max_output_tokens',
  response_format: 'text.format',
  verbosity: 'text.verbosity',
  reasoning_effort: 'reasoning.effort',
  logprobs: 'top_logprobs',
};

type PlaceOf = (message: number) => string | null;

/** Returns a function that finds a message in the request. Null: it is not exactly one item of the input. */
function placesOf({ input }: ResponseRequest, items: number, origins: readonly number[]): PlaceOf {
  const own = typeof input === 'string' ? 1 : (input ?? []).length;
  return (message) => {
    const index = (origins[message] ?? 0) - (items - own);
    if (index < 0) return 'previous_response_id';
    return typeof input === 'string' ? null : `input.${index}`;
  };
}

/** Runs a step, and maps fields of chat turns in its errors to those of responses. */
async function inResponseFields<T>(at: string, placeOf: PlaceOf, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof ChorusError) || error.details.length === 0) throw error;
    const details = error.details.map(({ path, message }) => {
      const [name = '', index, ...rest] = path.slice(at.length + 1).split('.');
      if (name !== 'messages') return { path: Object.hasOwn(FIELDS, name) ? `${at}.${FIELDS[name]}` : path, message };
      const place = index === undefined ? null : placeOf(Number(index));
      const part = place?.startsWith('input.') && rest[0] === 'content' ? `.content.${rest[1]}` : '';
      return { path: `${at}.${place ?? 'input'}${part}`, message };
    });
    const [first] = details;
    throw new ChorusError(error.code, `${first?.path}: ${first?.message}`, { details, cause: error });
  }
}

function givenOptions(request: ResponseRequest): ResponseOptions {
  const names = Object.keys(responseOptions.shape) as (keyof ResponseOptions)[];
  return Object.fromEntries(names.flatMap((name) => (request[name] == null ? [] : [[name, request[name]]])));
}

/** Adds the tools that items of the conversation bring along. */
function withToolsIn(items: readonly ConversationItem[], options: ResponseOptions): ResponseOptions {
  const brought = items.flatMap((item) =>
    item.type === 'additional_tools' || item.type === 'tool_search_output' ? item.tools : [],
  );
  if (brought.length === 0) return options;
  const known = new Set(clientToolsIn(options.tools).map(({ shown }) => shown.name));
  const tools = [...(options.tools ?? [])];
  for (const tool of brought) {
    const names = clientToolsIn([tool]).map(({ shown }) => shown.name);
    if (names.every((name) => known.has(name))) continue;
    for (const name of names) known.add(name);
    tools.push(tool);
  }
  return { ...options, tools };
}

function ignoredFields(request: ResponseRequest): string[] {
  const unknown = Object.keys(request).filter((name) => !KNOWN_FIELDS.has(name));
  const described = (request.tools ?? []).flatMap((tool, index) =>
    tool.type === 'mcp' && tool.server_description ? [`tools.${index}.server_description`] : [],
  );
  const ignored = unknown.filter((name) => request[name] != null && FIELD_NAME.test(name));
  return [...ignored, ...described].slice(0, MAX_NAMED);
}
