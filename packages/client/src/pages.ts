import type { CallOptions } from './client-options.ts';
import type { AnswerOf, OperationInput, OperationName } from './operations.ts';
import { readJson } from './read-response.ts';
import type { Transport } from './transport.ts';

/** A page of a list. Pass `next_cursor` as `after` for the next one. */
export interface Page<T> {
  data: T[];
  has_more: boolean;
  next_cursor: string | null;
}

type ListRoute = {
  [Name in OperationName]: AnswerOf<Name> extends Page<unknown> ? (Name extends `GET ${string}` ? Name : never) : never;
}[OperationName];

export type ItemOf<Name extends ListRoute> = AnswerOf<Name> extends Page<infer Item> ? Item : never;

/**
 * Iterates over all records of a list, and requests pages as needed.
 *
 * @param input as for one page: `limit` is the size of a page, `after` where to start
 */
export async function* iterateItems<Name extends ListRoute>(
  transport: Transport,
  name: Name,
  input?: OperationInput<Name>,
  options?: CallOptions,
): AsyncGenerator<ItemOf<Name>> {
  const { query = {}, ...rest } = (input ?? {}) as { query?: { limit?: number; after?: string } };
  for (let after = query.after; ; ) {
    const request = { ...rest, query: { limit: 100, ...query, after } };
    const page = await transport.send(name, request, options, readJson<Page<ItemOf<Name>>>);
    yield* page.data;
    if (page.next_cursor === null) return;
    after = page.next_cursor;
  }
}
