import {
  ChorusError,
  type ConversationItem,
  executionOfResponse,
  findItemId,
  type InputItem,
  inputItemId,
  isClientCall,
  isClientCallOutput,
  isShown,
  MAX_RESPONSE_ITEMS,
  type McpApprovalRequest,
  type McpCall,
  type Owner,
  presentOutput,
  type ResponseInput,
  type ResponseItem,
  type ResponseRequest,
  response,
} from '@chorus/contract';
import type { Database, ExecutionRecord } from '@chorus/database';
import { checkApprovals } from './response-servers.ts';

interface Store {
  executions: Pick<Database['executions'], 'get' | 'getMany'>;
}

/** A record also contains the answer, and stores limit it to 16 MB. */
const MAX_CONVERSATION_BYTES = 6_000_000;

/** Maximum number of responses that the references of a request may name. */
const MAX_REFERENCED = 100;

/**
 * Returns the whole conversation of a request: that of the previous response, its output, and the request's items.
 * @param at prefix of paths in errors
 * @throws {ChorusError} `previous_response_not_found`, `not_found`, `invalid_request`
 */
export async function conversationOf(
  store: Store,
  owner: Owner,
  request: ResponseRequest,
  at: string,
): Promise<ConversationItem[]> {
  const { input, previous_response_id: previousId } = request;
  const previous = previousId == null ? [] : await previousItems(store, owner, previousId, at);
  const given: InputItem[] = typeof input === 'string' ? [{ role: 'user', content: input }] : (input ?? []);
  const items = [...previous, ...(await resolveReferences(store, owner, { given, previous, at }))];
  if (items.length > MAX_RESPONSE_ITEMS)
    throw invalid(
      `${at}.input`,
      `the conversation has ${items.length} items; at most ${MAX_RESPONSE_ITEMS} are allowed`,
    );
  if (Buffer.byteLength(JSON.stringify(items)) > MAX_CONVERSATION_BYTES)
    throw invalid(`${at}.input`, `the conversation is larger than ${MAX_CONVERSATION_BYTES} bytes; start a new one`);
  checkCalls(items, previous.length, at);
  checkApprovals(items, request, { previous: previous.length, at });
  return items;
}

async function previousItems(store: Store, owner: Owner, id: string, at: string): Promise<ConversationItem[]> {
  const path = `${at}.previous_response_id`;
  const executionId = executionOfResponse(id);
  const record = executionId === null ? null : await store.executions.get(owner, executionId);
  const input = record && storedInput(record);
  if (record === null || input === null)
    throw new ChorusError('previous_response_not_found', `Previous response with id '${id}' not found.`, {
      details: [{ path, message: 'names no stored response' }],
    });
  if (record.status !== 'succeeded')
    throw invalid(
      path,
      record.finished_at === null
        ? 'names a response that is not finished yet'
        : `names a response that was not completed`,
    );
  return [...inputItems(record.id, input), ...outputItems(record, input)];
}

/** Returns whether an execution is a response that is stored for retrieval. */
export function isStoredResponse({ kind, input }: Pick<ExecutionRecord, 'kind' | 'input'>): boolean {
  return kind === response.kind && !response.isTransient?.(input);
}

/** Returns the input of a stored response. Null: the execution is not a stored response. */
export function storedInput(record: Pick<ExecutionRecord, 'kind' | 'input'>): ResponseInput | null {
  return isStoredResponse(record) ? response.input.parse(record.input) : null;
}

/** Returns the input items of a response, each with its id. */
export function inputItems(
  executionId: string,
  { items }: Pick<ResponseInput, 'items'>,
): (ConversationItem & { id: string })[] {
  return items.map((item, index) => ({
    ...item,
    id: item.id ?? inputItemId(executionId, item.type ?? 'message', index),
  }));
}

/** Returns the output of a response as items of a conversation. Leaves out calls that were cut off. */
function outputItems(record: ExecutionRecord, { options }: ResponseInput): ConversationItem[] {
  const shown = record.output.filter(isShown);
  return presentOutput(record, { ...options, include: ['reasoning.encrypted_content'] }).flatMap((item, index) => {
    const stored = shown[index];
    return conversationItems(item, stored?.type === 'tool_call' ? stored.signature : undefined);
  });
}

function conversationItems(item: ResponseItem, signature: string | undefined): ConversationItem[] {
  switch (item.type) {
    case 'reasoning':
      return [item];
    case 'function_call':
    case 'custom_tool_call':
    case 'tool_search_call':
      return item.status === 'completed' ? [{ ...item, ...(signature !== undefined && { signature }) }] : [];
    case 'mcp_call':
    case 'mcp_approval_request':
      return [{ ...item, ...(signature !== undefined && { signature }) }];
    case 'mcp_list_tools':
      return [item];
    case 'message': {
      const said = item.content.filter((part) => part.type === 'refusal' || part.text !== '');
      const content = said.map((part) => (part.type === 'refusal' ? part : { type: part.type, text: part.text }));
      return content.length === 0 ? [] : [{ ...item, content }];
    }
    default:
      throw item satisfies never;
  }
}

/** Replaces references with their items, and adds data that providers need to items that clients repeat. */
async function resolveReferences(
  store: Store,
  owner: Owner,
  { given, previous, at }: { given: readonly InputItem[]; previous: readonly ConversationItem[]; at: string },
): Promise<ConversationItem[]> {
  const known = new Map([...previous, ...given.filter(isItem)].flatMap((item) => (item.id ? [[item.id, item]] : [])));
  const places = given.map((item) => {
    const isSought = isItem(item) ? HAS_OPAQUE_DATA.has(item.type ?? '') : !known.has(item.id);
    return isSought && item.id ? findItemId(item.id) : null;
  });
  const responsesOf = (isSought: (item: InputItem) => boolean) =>
    given.flatMap((item, index) => (isSought(item) ? (places[index]?.executionId ?? []) : []));
  const executionIds = new Set(responsesOf((item) => !isItem(item)));
  if (executionIds.size > MAX_REFERENCED)
    throw invalid(`${at}.input`, `may refer to items of at most ${MAX_REFERENCED} responses`);
  // The newest of repeated items counts.
  for (const id of responsesOf(isItem).reverse()) if (executionIds.size < MAX_REFERENCED) executionIds.add(id);
  const records = executionIds.size === 0 ? [] : await store.executions.getMany(owner, [...executionIds]);
  const found = new Map(records.map((record) => [record.id, record]));
  return given.map((item, index) => {
    const place = places[index];
    const record = place && found.get(place.executionId);
    const stored = record ? itemAt(record, place) : undefined;
    if (isItem(item)) return withOpaqueData(item, stored);
    const resolved = known.get(item.id) ?? stored;
    if (resolved) return resolved;
    throw new ChorusError('not_found', `Item with id '${item.id}' not found.`, {
      details: [{ path: `${at}.input.${index}.id`, message: 'names no item of a stored response' }],
    });
  });
}

function itemAt(record: ExecutionRecord, { list, index }: { list: 'input' | 'output'; index: number }) {
  const input = storedInput(record);
  if (input === null) return undefined;
  const items = list === 'input' ? inputItems(record.id, input) : outputItems(record, input);
  return list === 'input' ? items[index] : items.find(({ id }) => findItemId(id ?? '')?.index === index);
}

/** Items that providers may need back, with data that clients do not have. */
const HAS_OPAQUE_DATA: ReadonlySet<string> = new Set([
  'function_call',
  'custom_tool_call',
  'tool_search_call',
  'reasoning',
  'mcp_call',
  'mcp_approval_request',
]);

type Reference = Extract<InputItem, { type: 'item_reference' | null }>;

function isItem(item: InputItem): item is Exclude<InputItem, Reference> {
  return item.type !== 'item_reference' && item.type !== null;
}

function withOpaqueData(item: ConversationItem, stored: ConversationItem | undefined): ConversationItem {
  if (isClientCall(item) && stored?.type === item.type && item.call_id === stored.call_id)
    return { ...item, ...(stored.signature !== undefined && { signature: stored.signature }) };
  if (isServerCall(item) && stored?.type === item.type)
    return { ...item, ...(stored.signature !== undefined && { signature: stored.signature }) };
  if (item.type === 'reasoning' && stored?.type === 'reasoning')
    return { ...item, encrypted_content: item.encrypted_content ?? stored.encrypted_content };
  return item;
}

function isServerCall(item: ConversationItem): item is McpCall | McpApprovalRequest {
  return item.type === 'mcp_call' || item.type === 'mcp_approval_request';
}

/** Checks that each call has a result and each result a call, as models require. */
function checkCalls(items: readonly ConversationItem[], previous: number, at: string): void {
  const seen = new Set<string>();
  const open = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (isClientCall(item)) {
      seen.add(item.call_id);
      open.add(item.call_id);
    } else if (isClientCallOutput(item)) {
      if (!seen.has(item.call_id))
        throw invalid(`${at}.input.${index - previous}.call_id`, `names no call before it: ${item.call_id}`);
      open.delete(item.call_id);
    }
  }
  const [unanswered] = open;
  if (unanswered !== undefined) throw invalid(`${at}.input`, `needs a function_call_output for the call ${unanswered}`);
}

function invalid(path: string, message: string): ChorusError {
  return new ChorusError('invalid_request', `${path}: ${message}`, { details: [{ path, message }] });
}
