import { setImmediate as others } from 'node:timers/promises';
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
import { ItemOrder } from './item-order.ts';

/** A request can be wrong in thousands of places; an answer names the first few. */
const MAX_DETAILS = 20;

/** Items that are stored in one step: so many, or so many characters of JSON. */
const STORED_AT_ONCE = 500;
const STORED_CHARS = 4_000_000;

/** How long one batch is checked before the event loop serves others. Several may be sent at once. */
const TURN_MS = 2;

/** What is being made says so this often, in milliseconds; what has been silent for long is given up by the sweep. */
const TOUCH_EVERY_MS = 30_000;

/** A record of the store holds one item. */
const MAX_ITEM_CHARS = 4_000_000;

/** Defaults are kept in memory while a batch runs. */
const MAX_DEFAULTS_CHARS = 1_000_000;

/** What a client sends: what the batch says of itself, then its items, parsed from JSON and unchecked. */
export interface BatchUpload {
  head: unknown;
  items: AsyncIterable<{ value: unknown; chars: number }> | Iterable<{ value: unknown; chars: number }>;
}

export interface NewBatchRequest {
  owner: Owner;
  apiKeyId: string | null;
  requestId: string | null;
  upload: BatchUpload;
  /** Asked before anything is stored; may throw. */
  check?: (head: BatchHead) => void;
}

/** A batch that is stored whole and can't be seen yet. */
export interface StagedBatch {
  readonly id: string;
  /** Shows it. @throws {ChorusError} conflict when it was given up meanwhile, store_unavailable */
  commit(): Promise<BatchRecord>;
  discard(): Promise<void>;
}

type Stores = Pick<Database, 'batches' | 'batchItems'>;

/**
 * Stores a batch, so that it can be shown. Its items are stored as they come, in pieces; when one is wrong nothing of it stays.
 *
 * @throws {ChorusError} invalid_request naming up to 20 places, store_unavailable, and what reading `upload` throws
 */
export async function stageBatch(database: Stores, request: NewBatchRequest): Promise<StagedBatch> {
  const { owner, upload } = request;
  const id = newId('batch');
  const head = checkHead(upload.head);
  request.check?.(head);
  const { kind = null, defaults, metadata, webhook_url = null } = head;
  const { apiKeyId: api_key_id, requestId: request_id } = request;
  await database.batches.begin({ id, owner, kind, defaults, metadata, webhook_url, api_key_id, request_id });
  const discard = () => removeBatch(database, id).catch(() => undefined); // the sweep does it then
  try {
    const order = await storeItems(database, { owner, id, head, items: upload.items });
    return {
      id,
      discard,
      commit: async () => {
        const made = { total: order.size, ordered: order.ordered };
        const shown = (await database.batches.commit(owner, id, made)) && (await database.batches.get(owner, id));
        if (!shown) throw new ChorusError('conflict', 'The batch took too long to be sent and was given up.');
        return shown;
      },
    };
  } catch (error) {
    await discard();
    throw error;
  }
}

/** Removes a batch and its items. */
export async function removeBatch(database: Stores, id: string): Promise<void> {
  await database.batchItems.remove(id);
  await database.batches.remove(id);
}

function checkHead(given: unknown): BatchHead {
  const parsed = parseBounded(batchHead, given);
  if (!parsed.success) throw invalid(describeIssues(batchHead, parsed.error.issues, 'body'));
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
}

async function storeItems(database: Stores, { owner, id, head, items }: Storing): Promise<ItemOrder> {
  const order = new ItemOrder();
  const problems: ErrorDetail[] = [];
  let index = 0;
  let waiting: NewBatchItem[] = [];
  let chars = 0;
  let turnEnds = performance.now() + TURN_MS;
  let touched = performance.now();
  const store = async () => {
    await database.batchItems.insert(owner, id, waiting);
    [waiting, chars] = [[], 0];
    if (performance.now() - touched < TOUCH_EVERY_MS) return;
    await database.batches.touch(id);
    touched = performance.now();
  };

  for await (const { value, chars: size } of items) {
    if (index >= MAX_BATCH_ITEMS) {
      problems.push({ path: 'body.items', message: `must have at most ${MAX_BATCH_ITEMS} items` });
      break;
    }
    const checked = size > MAX_ITEM_CHARS ? tooLarge(index) : takeItem(order, head, value, index);
    if ('problems' in checked) problems.push(...checked.problems);
    else if (problems.length === 0) waiting.push(checked);
    if (problems.length >= MAX_DETAILS) break;
    index += 1;
    chars += size;
    if (waiting.length >= STORED_AT_ONCE || chars >= STORED_CHARS) await store();
    if (performance.now() < turnEnds) continue;
    await others();
    turnEnds = performance.now() + TURN_MS;
  }
  if (index === 0 && problems.length === 0) problems.push({ path: 'body.items', message: 'must have at least 1 item' });
  if (problems.length === 0) problems.push(...order.problems(MAX_DETAILS));
  if (problems.length > 0) throw invalid(problems.slice(0, MAX_DETAILS));
  await store();
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
