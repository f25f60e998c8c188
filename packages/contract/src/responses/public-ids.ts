import { ID_PREFIXES, isId } from '../ids.ts';

/** Prefixes of the items of a response. */
const ITEM_PREFIXES = {
  message: 'msg',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
  tool_search_call: 'tsc',
  tool_search_output: 'tso',
  additional_tools: 'at',
  reasoning: 'rs',
  mcp_list_tools: 'mcpl',
  mcp_call: 'mcp',
  mcp_approval_request: 'mcpr',
  mcp_approval_response: 'mcpa',
} as const;
export type ItemType = keyof typeof ITEM_PREFIXES;

const ITEM_ID = new RegExp(`^(?:${Object.values(ITEM_PREFIXES).join('|')})_([0-9a-z]{26})_(i?)(\\d{1,4})(?:_r\\d+)?$`);

const suffixOf = (id: string) => id.slice(id.lastIndexOf('_') + 1);

/** Returns a response's id, which has the number of its execution. */
export function responseId(executionId: string): string {
  return `resp_${suffixOf(executionId)}`;
}

/** Returns the execution of a response. Null: the id is malformed. */
export function executionOfResponse(id: string): string | null {
  const executionId = `${ID_PREFIXES.job}_${suffixOf(id)}`;
  return id.startsWith('resp_') && isId('job', executionId) && responseId(executionId) === id ? executionId : null;
}

/**
 * Returns the id of an output item.
 * @param resets how often the answer had started over before this item
 */
export function outputItemId(executionId: string, type: ItemType, index: number, resets: number): string {
  return `${ITEM_PREFIXES[type]}_${suffixOf(executionId)}_${index}${afterReset(resets)}`;
}

/** Returns the id of an item of a response's input. */
export function inputItemId(executionId: string, type: ItemType, index: number): string {
  return `${ITEM_PREFIXES[type]}_${suffixOf(executionId)}_i${index}`;
}

/** Returns a call's id as clients see it. An answer that started over may repeat the ids of its calls. */
export function publicCallId(callId: string, resets: number): string {
  return callId + afterReset(resets);
}

function afterReset(resets: number): string {
  return resets > 0 ? `_r${resets}` : '';
}

/** Returns the position of an item. Null: we did not create the id. */
export function findItemId(id: string): { executionId: string; list: 'input' | 'output'; index: number } | null {
  const [, suffix, input, index] = ITEM_ID.exec(id) ?? [];
  if (suffix === undefined) return null;
  return { executionId: `${ID_PREFIXES.job}_${suffix}`, list: input ? 'input' : 'output', index: Number(index) };
}
