import type { CallOptions } from '../client-options.ts';
import type { BodyOf, QueryOf } from '../operations.ts';
import { iterateItems } from '../pages.ts';
import type { Transport } from '../transport.ts';

export function createPrompts(transport: Transport) {
  const path = (id: string) => ({ path: { prompt_id: id } });
  return {
    /** Creates a prompt: a text for messages, in which `{{name}}` is a variable. */
    create: (body: BodyOf<'POST /prompts'>, options?: CallOptions) =>
      transport.request('POST /prompts', { body }, options),
    /** Returns a prompt. */
    get: (id: string, options?: CallOptions) => transport.request('GET /prompts/{prompt_id}', path(id), options),
    /** Returns one page of prompts, newest first. */
    list: (query?: QueryOf<'GET /prompts'>, options?: CallOptions) =>
      transport.request('GET /prompts', { query }, options),
    /** Iterates over all prompts of the scope, newest first. */
    all: (query?: QueryOf<'GET /prompts'>, options?: CallOptions) =>
      iterateItems(transport, 'GET /prompts', { query }, options),
    /** Changes the fields of a prompt that `body` contains. */
    update: (id: string, body: BodyOf<'PATCH /prompts/{prompt_id}'>, options?: CallOptions) =>
      transport.request('PATCH /prompts/{prompt_id}', { ...path(id), body }, options),
    /** Deletes a prompt. */
    delete: (id: string, options?: CallOptions) => transport.request('DELETE /prompts/{prompt_id}', path(id), options),
  };
}
