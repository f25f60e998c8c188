import {
  type BatchHead,
  batchHead,
  ChorusError,
  describeIssues,
  type ErrorDetail,
  MAX_BATCH_ITEMS,
  newId,
  type Owner,
  parseBounded,
} from '@chorus/contract';
import type { BatchRecord, Database, NewBatchItem } from '@chorus/database';
import { checkItem, MAX_DEPTH, nestsDeeperThan } from './check-item.ts';
import { checkEconomy, type EconomyModels, economyProblem, ModelsOfItems } from './economy.ts';
import { ItemOrder } from './item-order.ts';
import { ItemWriter, MAX_ITEM_CHARS } from './item-writer.ts';

const MAX_DETAILS = 20;

/** Defaults are kept in memory while a batch runs. */
const MAX_DEFAULTS_CHARS = 1_000_000;

/** A client's upload: the head of the batch, then its unchecked items, parsed from JSON. */
export interface BatchUpload {
  head: unknown;
  items: AsyncIterable<{ value: unknown; chars: number }> | Iterable<{ value: unknown; chars: number }>;
}

export interface NewBatchRequest {
  owner: Owner;
  agentId: string | null;
  apiKeyId: string | null;
  requestId: string | null;
  upload: BatchUpload;
  /** Called before anything is stored; may throw. */
  check?: (head: BatchHead) => void;
  /** Absent: no provider has a batch endpoint. */
  economyModels?: EconomyModels;
}

/** A batch that is stored but not visible yet. */
export interface StagedBatch {
  readonly id: string;
  /** Makes it visible. @throws {ChorusError} conflict if it has been removed, store_unavailable */
  commit(): Promise<BatchRecord>;
  discard(): Promise<void>;
}

type Stores = Pick<Database, 'batches' | 'batchItems'>;

/**
 * Stores a batch that can then be committed. Items are stored as they arrive. If one is invalid, all are removed.
 *
 * @throws {ChorusError} invalid_request with up to 20 problems, store_unavailable, errors of reading `upload`
 */
export async function stageBatch(database: Stores, request: NewBatchRequest): Promise<StagedBatch> {
  const { owner, upload } = request;
  const id = newId('batch');
  const head = checkHead(upload.head);
  const problems = checkEconomy(head, request.agentId);
  if (problems.length > 0) throw invalid(problems);
  request.check?.(head);
  const { kind = null, defaults, metadata, webhook_url = null, expires_at } = head;
  const { agentId: agent_id, apiKeyId: api_key_id, requestId: request_id } = request;
  const about = { kind, defaults, metadata, webhook_url, expires_at };
  await database.batches.begin({ id, owner, ...about, agent_id, api_key_id, request_id });
  const discard = () => removeBatch(database, id).catch(() => undefined); // the sweep removes it later
  try {
    const models = new ModelsOfItems(head);
    const order = await storeItems(database, { owner, id, head, items: upload.items, models });
    const economy = head.economy ? await models.sort(request.economyModels ?? NO_ECONOMY) : undefined;
    return {
      id,
      discard,
      commit: async () => {
        const made = { total: order.size, ordered: order.ordered, economy };
        const shown = (await database.batches.commit(owner, id, made)) && (await database.batches.get(owner, id));
        if (!shown) throw new ChorusError('conflict', 'The upload of the batch took too long.');
        return shown;
      },
    };
  } catch (error) {
    await discard();
    throw error;
  }
}

export async function removeBatch(database: Stores, id: string): Promise<void> {
  await database.batchItems.remove(id);
  await database.batches.remove(id);
}

function checkHead(given: unknown): BatchHead {
  const parsed = parseBounded(batchHead, given);
  if (!parsed.success) throw invalid(describeIssues(parsed.error.issues, 'body'));
  const { data } = parsed;
  if (nestsDeeperThan(MAX_DEPTH, data.defaults))
    throw invalid([{ path: 'body.defaults', message: `must nest at most ${MAX_DEPTH} levels deep` }]);
  if (JSON.stringify(data.defaults).length <= MAX_DEFAULTS_CHARS) return data;
  throw invalid([{ path: 'body.defaults', message: `must have at most ${MAX_DEFAULTS_CHARS} characters as JSON` }]);
}

interface Storing {
  owner: Owner;
  id: string;
  head: BatchHead;
  items: BatchUpload['items'];
  models: ModelsOfItems;
}

const NO_ECONOMY: EconomyModels = { hasBatches: async () => false, defaultModel: async () => null };

async function storeItems(database: Stores, { owner, id, head, items, models }: Storing): Promise<ItemOrder> {
  const order = new ItemOrder();
  const problems: ErrorDetail[] = [];
  const writer = new ItemWriter(database, owner, id);
  let index = 0;

  for await (const { value, chars: size } of items) {
    if (index >= MAX_BATCH_ITEMS) {
      problems.push({ path: 'body.items', message: `must have at most ${MAX_BATCH_ITEMS} items` });
      break;
    }
    const checked = size > MAX_ITEM_CHARS ? tooLarge(index) : takeItem(order, head, value, index);
    if (!('problems' in checked)) models.add(checked);
    if ('problems' in checked) problems.push(...checked.problems);
    if (problems.length >= MAX_DETAILS) break;
    index += 1;
    await writer.add('problems' in checked || problems.length > 0 ? null : checked, size);
  }
  if (index === 0 && problems.length === 0) problems.push({ path: 'body.items', message: 'must have at least 1 item' });
  if (problems.length === 0) problems.push(...order.problems(MAX_DETAILS));
  if (problems.length > 0) throw invalid(problems.slice(0, MAX_DETAILS));
  await writer.flush();
  return order;
}

function takeItem(
  order: ItemOrder,
  head: BatchHead,
  value: unknown,
  index: number,
): NewBatchItem | { problems: ErrorDetail[] } {
  const at = `body.items.${index}`;
  const checked = checkItem(head, value, at);
  if ('problems' in checked) return checked;
  const { id = String(index), kind, body, after } = checked.item;
  const problem = economyProblem(head, checked.item, at);
  if (problem !== null) return { problems: [problem] };
  const wrong = order.add(id, after);
  return wrong === null ? { index, id, kind, body, after } : { problems: [{ path: `${at}.id`, message: wrong }] };
}

function tooLarge(index: number): { problems: ErrorDetail[] } {
  const message = `must have at most ${MAX_ITEM_CHARS} characters as JSON`;
  return { problems: [{ path: `body.items.${index}`, message }] };
}

function invalid(details: ErrorDetail[]): ChorusError {
  const [first] = details;
  return new ChorusError('invalid_request', first ? `${first.path}: ${first.message}` : 'The batch is invalid.', {
    details,
  });
}
