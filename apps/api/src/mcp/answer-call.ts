import { refusalOf } from '@chorus/accounts';
import { ChorusError, type ErrorBody, type ErrorCode, toErrorBody } from '@chorus/contract';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { sendJson } from '../http/answer.ts';
import type { ScopedContext } from '../http/request-context.ts';
import { beginEventStream, drained } from '../responses/event-stream.ts';
import { errorOf } from '../responses/openai-style.ts';
import type { RunningCall } from './begin-call.ts';
import { toToolResult } from './define-tool.ts';
import { type CallProgress, followCall } from './follow-call.ts';
import { type RpcId, rpcResult } from './json-rpc.ts';
import { type Resumption, resumptionId } from './resumption.ts';
import type { SessionCall } from './sessions.ts';

/** How soon clients should resume a stream. */
const RETRY_MS = 1_000;

export interface CallAnswer {
  id: RpcId;
  progressToken: RpcId | undefined;
  cancellable: SessionCall | null;
  /** Whether the client can resume a stream that ends without a result. */
  canResume: boolean;
  /** The state from which a client resumes. Absent: the call has just begun. */
  resumed?: Resumption;
}

/** Answers a running call with a stream of its progress and result, or with JSON if the client takes no stream. */
export async function answerCall(context: ScopedContext, call: RunningCall, answer: CallAnswer): Promise<undefined> {
  const { request, response } = context;
  const isStream = answer.resumed !== undefined || /text\/event-stream/.test(request.headers.accept ?? '');
  if (!isStream) {
    const result = await resultOf(context, call, answer, () => undefined);
    if (result !== null) sendJson(response, 200, rpcResult(answer.id, result));
    else if (!response.destroyed) response.writeHead(202).end();
    return;
  }
  const quiet = beginEventStream(response);
  try {
    const at = (seq: number, progress: number) =>
      answer.canResume
        ? `id: ${resumptionId({ tool: call.tool.name, job: call.record.id, id: answer.id, token: answer.progressToken, seq, progress })}\n`
        : '';
    // An event without data tells the client where to resume. Older clients cannot read it.
    if (answer.canResume)
      response.write(`retry: ${RETRY_MS}\n${at(answer.resumed?.seq ?? 0, answer.resumed?.progress ?? 0)}data: \n\n`);
    const report = async (progress: CallProgress, seq: number) => {
      if (answer.progressToken === undefined || response.destroyed || response.writableEnded) return;
      const params = { progressToken: answer.progressToken, ...progress };
      const frame = { jsonrpc: '2.0', method: 'notifications/progress', params };
      if (!response.write(`${at(seq, progress.progress)}data: ${JSON.stringify(frame)}\n\n`)) await drained(response);
    };
    const result = await resultOf(context, call, answer, report);
    if (response.destroyed) return;
    response.end(result === null ? '' : `data: ${JSON.stringify(rpcResult(answer.id, result))}\n\n`);
  } finally {
    quiet();
  }
}

/** Returns the result of a call. Null: the client expects none, or should resume. */
async function resultOf(
  context: ScopedContext,
  call: RunningCall,
  { cancellable, canResume, resumed }: CallAnswer,
  report: (progress: CallProgress, seq: number) => Promise<void> | void,
): Promise<CallToolResult | null> {
  const { response } = context;
  const end = await followCall(context, call, report, resumed?.progress ?? 0);
  if (response.destroyed || (end === 'left' && canResume)) return null;
  if (await cancellable?.isCancelled().catch(() => false)) return null;
  cancellable?.forget();
  if (end === 'deleted') return toolError(context, new ChorusError('not_found', 'The job has been deleted.'));
  const record = end === 'left' ? call.record : end.ended;
  const isFailed = record.status === 'failed' || record.status === 'cancelled';
  if (isFailed && !call.tool.showsFailures) {
    const error = errorOf(record);
    context.errorCode = error.code as ErrorCode;
    return failure(error, `\nThe job is ${record.id}.`);
  }
  try {
    return toToolResult(await call.tool.show(record, context));
  } catch (error) {
    return toolError(context, error);
  }
}

/** Turns an error into a result that the model sees. Unknown errors are logged and reveal nothing. */
export function toolError(context: ScopedContext, thrown: unknown): CallToolResult {
  const error = refusalOf(thrown);
  context.errorCode = error.code;
  if (error.code === 'internal_error') context.log.error({ err: thrown, tool: context.tool }, 'tool call failed');
  const { retryAfterS } = error;
  const retry = retryAfterS === undefined ? '' : ` Try again in ${Math.ceil(retryAfterS)} s.`;
  return failure(toErrorBody(error, context.requestId), retry);
}

function failure(error: ErrorBody, more: string): CallToolResult {
  const { code, status, details, request_id } = error;
  return {
    isError: true,
    content: [{ type: 'text', text: `${messageOf(error)}${more}` }],
    _meta: { error: { code, status, details, request_id } },
  };
}

/** Returns a message that names every affected field. */
function messageOf({ message, details }: ErrorBody): string {
  const fields = details.map((detail) => `${detail.path}: ${detail.message}`);
  if (fields.every((field) => message.includes(field))) return message;
  return details.every((detail) => message.includes(detail.message))
    ? fields.join('\n')
    : [message, ...fields].join('\n');
}
