import type { CallOptions } from './client-options.ts';
import type { AnswerOf, OperationInput, OperationName } from './operations.ts';
import { readJson } from './read-json.ts';
import type { Transport } from './transport.ts';

/** A page of a list. */
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
 * All records of a list, page by page as they are wanted.
 *
 * @param input as for one page: `limit` is how many come at once, `after` where it begins
 */
export async function* everyItem<Name extends ListRoute>(
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
