import {
  type BatchEconomy,
  type BatchHead,
  type BatchKind,
  ChorusError,
  type ErrorDetail,
  KINDS,
  type KindDefinition,
} from '@chorus/contract';
import { mergeBody } from './check-item.ts';

/** Finds out which models have a batch endpoint. */
export interface EconomyModels {
  hasBatches(model: string): Promise<boolean>;
  /** Returns the model of items that name none. Null: unknown. */
  defaultModel(kind: BatchKind): Promise<string | null>;
}

/** Maximum number of models to show for a batch. */
const MAX_SHOWN = 100;

const ECONOMY_KINDS = Object.values<KindDefinition>(KINDS).flatMap(({ kind, economy }) => (economy ? [kind] : []));

/** Returns why a batch cannot run at half price. */
export function checkEconomy(head: BatchHead, agentId: string | null): ErrorDetail[] {
  if (!head.economy)
    return head.economy_fallback ? [{ path: 'body.economy_fallback', message: 'needs `economy: true`' }] : [];
  if (agentId !== null) return [{ path: 'body.economy', message: 'cannot be combined with an agent' }];
  return [];
}

/** Returns why an item cannot run at half price. Null: it can. */
export function economyProblem(
  head: BatchHead,
  { kind, body }: { kind: BatchKind; body: Record<string, unknown> },
  at: string,
): ErrorDetail | null {
  if (!head.economy) return null;
  const { economy }: KindDefinition = KINDS[kind];
  if (economy === undefined) {
    const path = kind === head.kind ? 'body.kind' : `${at}.kind`;
    return { path, message: `must be ${ECONOMY_KINDS.join(', ')} with \`economy\`` };
  }
  const field = economy.refuses(mergeBody(head, kind, body));
  if (field === null) return null;
  return { path: `${at}.body.${field}`, message: 'needs work on this server, so it cannot be used with `economy`' };
}

/** Collects the models of items, and finds out which of them have a batch endpoint. */
export class ModelsOfItems {
  readonly #head: BatchHead;
  readonly #named = new Set<string>();
  readonly #unnamed = new Set<BatchKind>();

  constructor(head: BatchHead) {
    this.#head = head;
  }

  add({ kind, body }: { kind: BatchKind; body: Record<string, unknown> }): void {
    const { model } = mergeBody(this.#head, kind, body);
    // The name may be the result of another item.
    if (typeof model === 'string') this.#named.add(model);
    else this.#unnamed.add(kind);
  }

  /** @throws {ChorusError} `invalid_request` if no model has a batch endpoint */
  async sort({ hasBatches, defaultModel }: EconomyModels): Promise<BatchEconomy> {
    const models: string[] = [];
    const others: string[] = [];
    for (const model of this.#named) ((await hasBatches(model)) ? models : others).push(model);
    let isUsed = models.length > 0;
    for (const kind of this.#unnamed) {
      const model = await defaultModel(kind);
      isUsed ||= model === null || (await hasBatches(model));
    }
    if (!isUsed) {
      const message = `needs a model whose provider has a batch endpoint; ${others[0] ?? 'the default model'} has none`;
      throw new ChorusError('invalid_request', `body.economy ${message}.`, {
        details: [{ path: 'body.economy', message }],
      });
    }
    const fallback = this.#head.economy_fallback === true;
    return { fallback, models: models.slice(0, MAX_SHOWN), other_models: others.slice(0, MAX_SHOWN) };
  }
}
