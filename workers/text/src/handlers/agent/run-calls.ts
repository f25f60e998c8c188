import type { AgentTool, SaveFile, ToolResult } from '@chorus/agent-tools';
import type { ToolCallItem, Usage } from '@chorus/contract';
import { runInSpan, startSpan } from '@chorus/runtime/tracing';
import type { AgentJob, AgentState } from './agent-state.ts';
import { renumber } from './call-results.ts';
import { keepResult } from './long-results.ts';
import type { OfferedTools } from './offer-tools.ts';

/** Calls that run at once. */
export const MAX_PARALLEL = 4;

/** Passages that the answer may cite: of one result, and of all. */
const MAX_PASSAGES = 100;
const MAX_TURN_PASSAGES = 2_000;

const CHANGED = 'This tool has changed since the call was made, so the call did not run. Make the call again.';

export interface CallsParts {
  job: AgentJob;
  state: AgentState;
  tools: OfferedTools;
  /** When calls must end, by `performance.now()`. */
  endsAt: number;
  /** Whether the caller approves calls, with its next request. */
  callerApproves: boolean;
  saveFile: SaveFile | undefined;
}

interface Runnable {
  index: number;
  tool: AgentTool;
  args: Record<string, unknown>;
}

/** Parses the arguments of a call. Null: they are not a JSON object. */
export function parseArguments(text: string): Record<string, unknown> | null {
  try {
    // Some models write `null` for no arguments.
    const value: unknown = text.trim() === '' ? {} : (JSON.parse(text) ?? {});
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/**
 * Runs the calls of the last step that have not ended. A call that was running when its worker died is repeated only
 * if that is harmless. Then waits for a person if calls need approval.
 *
 * @returns whether calls are left to the caller
 * @throws the reason of the job's signal
 */
export async function runCalls(parts: CallsParts): Promise<boolean> {
  const { job, state } = parts;
  const runnable: Runnable[] = [];
  const waiting: ToolCallItem[] = [];
  let leftToCaller = false;
  for (const { index, call } of state.lastCalls()) {
    if (call.finished_at !== null) continue;
    const tool = parts.tools.get(call.name);
    const args = parseArguments(call.arguments);
    const isSame = state.isFor(index, tool);
    const approval = job.decisions.made.find(({ tool_call_id }) => tool_call_id === call.id);
    if (call.status === 'requested') leftToCaller = true;
    else if (call.status === 'awaiting_approval' && approval?.decision == null) waiting.push(call);
    else if (call.status === 'awaiting_approval' && approval?.decision === 'deny')
      await end(parts, index, { status: 'denied', result: approval.reason ?? '' });
    else if (call.started_at !== null && !state.isBegun(index) && (!isSame || tool?.effect === 'write'))
      await end(parts, index, { status: 'unknown', result: null });
    else if (tool === undefined || args === null)
      await end(parts, index, { status: 'failed', result: 'This tool is not available any more.' });
    else if (!isSame) await end(parts, index, { status: 'failed', result: CHANGED });
    else runnable.push({ index, tool, args });
  }
  const next = runnable.values();
  const work = async () => {
    for (const one of next) await runCall(parts, one);
  };
  const done = await Promise.allSettled(Array.from({ length: MAX_PARALLEL }, work));
  for (const outcome of done) if (outcome.status === 'rejected') throw outcome.reason;
  if (waiting.length > 0 && !parts.callerApproves)
    job.decisions.wait(waiting.map(({ id, name }) => ({ tool_call_id: id, name })));
  return leftToCaller || waiting.length > 0;
}

async function runCall(parts: CallsParts, { index, tool, args }: Runnable): Promise<void> {
  const { job, state, endsAt } = parts;
  const { owner, executionId, signal } = job;
  signal.throwIfAborted();
  const isBegun = state.isBegun(index);
  const started = state.change(index, { status: 'running', ...(!isBegun && { started_at: new Date().toISOString() }) });
  if (!isBegun) await state.save();
  signal.throwIfAborted();
  job.emit({ type: 'tool_call.started', index, id: started.id, name: started.name });
  if (!isBegun) job.emit({ type: 'output.item', index, item: started });
  const late = AbortSignal.timeout(Math.max(1, Math.ceil(endsAt - performance.now())));
  const callId = `${executionId}-${index}`;
  let result: ToolResult;
  const span = startSpan(`execute_tool ${tool.name}`, {
    kind: 'internal',
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool.name,
      'gen_ai.tool.call.id': started.id,
      'gen_ai.tool.type': 'function',
    },
  });
  const asked = { owner, executionId, callId, signal: AbortSignal.any([signal, late]) };
  try {
    result = await runInSpan(span, () => tool.run(args, asked));
    if (result.isError) span.fail('tool_error');
  } catch (error) {
    span.fail(late.aborted ? 'timeout' : 'internal_error');
    signal.throwIfAborted();
    if (late.aborted && tool.effect === 'write') return end(parts, index, { status: 'unknown', result: null });
    if (!late.aborted) job.log.error({ err: error, tool: tool.name }, 'tool failed');
    const text = late.aborted ? 'The tool took too long.' : 'The tool failed because of an internal error.';
    result = { text, isError: true };
  } finally {
    span.end();
  }
  signal.throwIfAborted();
  if (result.usage) spend(parts, result.usage);
  state.spendElsewhere(result.costElsewhereUsd ?? 0);
  const room = Math.min(MAX_PASSAGES, Math.max(0, MAX_TURN_PASSAGES - state.passages.length));
  const citations = (result.citations ?? []).slice(0, room);
  const { text, passages } = renumber(result.text, citations, state.passages.length);
  state.passages.push(...passages);
  const sources = [...new Set(passages.map(({ entry_id }) => entry_id))];
  const results = state.items.filter((item) => item.type === 'tool_call');
  // Results with sources are not stored, or deleted entries would survive in a file.
  const saveFile = sources.length > 0 ? undefined : parts.saveFile;
  const reads = parts.tools.all().some(({ origin }) => origin.type === 'read_document');
  const kept = await keepResult({ job, saveFile, reads }, text.toWellFormed(), results);
  const ended = {
    status: result.isError ? ('failed' as const) : ('succeeded' as const),
    result: kept.result,
    ...(sources.length > 0 && { sources }),
  };
  await end(parts, index, ended, [...(result.assets ?? []), ...kept.assets]);
}

function spend({ job, state }: CallsParts, usage: Usage): void {
  state.spend(usage);
  job.note({ usage: state.usage });
}

async function end(
  { job, state }: CallsParts,
  index: number,
  change: Pick<ToolCallItem, 'status' | 'result' | 'sources'>,
  assets: ToolResult['assets'] = [],
): Promise<void> {
  const item = state.change(index, { ...change, finished_at: new Date().toISOString() });
  const first = state.add(...assets.map((asset) => ({ type: 'asset' as const, asset })));
  await state.save({ advances: true });
  const { id, status, result } = item;
  job.emit({ type: 'tool_call.finished', index, id, status, result });
  await job.emit({ type: 'output.item', index, item });
  for (const [at, asset] of assets.entries())
    job.emit({ type: 'output.item', index: first + at, item: { type: 'asset', asset } });
}
