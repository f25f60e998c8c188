import {
  ChorusError,
  type ResponseOptions,
  type ResponseRequest,
  response,
  responseOptions,
  responseRequest,
  responseSettings,
  toChatMessages,
} from '@chorus/contract';
import { defineJobPlan } from './define-plan.ts';
import { conversationOf } from './response-conversation.ts';
import { turnSettings } from './turn-settings.ts';

const KNOWN_FIELDS = new Set(Object.keys(responseRequest.shape));
const MAX_NAMED = 50;
const FIELD_NAME = /^[\w.-]{1,64}$/;

export const responseJob = defineJobPlan(response, {
  plan: async (request, { owner, agent, path }, services) => {
    const given = givenOptions(request);
    const asked = { model: request.model ?? undefined, settings: responseSettings(given), path };
    const items = await conversationOf(services.database, owner, request, path);
    const messages = toChatMessages(items);
    const { model, settings, instructions, fallbacks } = await inResponseFields(path, () =>
      turnSettings(services, agent, { ...asked, messages }),
    );
    const options: ResponseOptions = {
      ...given,
      ...(instructions !== undefined && { instructions: given.instructions ?? instructions }),
      ...(settings.temperature !== undefined && { temperature: settings.temperature }),
    };
    const input = { model, ...(fallbacks && { fallbacks }), items, options };
    return { kind: 'response', model, input, ignoredFields: ignoredFields(request) };
  },
});

/** The fields of responses for those of chat turns. */
const FIELDS: Readonly<Record<string, string>> = {
  max_tokens: 'max_output_tokens',
  response_format: 'text.format',
  verbosity: 'text.verbosity',
  reasoning_effort: 'reasoning.effort',
  logprobs: 'top_logprobs',
  messages: 'input',
};

/** Runs a step whose errors name fields of chat turns, and makes them name those of responses. */
async function inResponseFields<T>(at: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof ChorusError) || error.details.length === 0) throw error;
    const details = error.details.map(({ path, message }) => {
      const [name = ''] = path.slice(at.length + 1).split('.');
      return { path: Object.hasOwn(FIELDS, name) ? `${at}.${FIELDS[name]}` : path, message };
    });
    const [first] = details;
    throw new ChorusError(error.code, `${first?.path}: ${first?.message}`, { details, cause: error });
  }
}

function givenOptions(request: ResponseRequest): ResponseOptions {
  const names = Object.keys(responseOptions.shape) as (keyof ResponseOptions)[];
  return Object.fromEntries(names.flatMap((name) => (request[name] == null ? [] : [[name, request[name]]])));
}

function ignoredFields(request: ResponseRequest): string[] {
  const unknown = Object.keys(request).filter((name) => !KNOWN_FIELDS.has(name));
  return [...unknown, 'prompt_cache_key']
    .filter((name) => request[name] != null && FIELD_NAME.test(name))
    .slice(0, MAX_NAMED);
}
