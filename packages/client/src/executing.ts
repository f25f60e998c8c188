import { chorusError, errorFromBody } from './chorus-error.ts';
import { type CallOptions, callOptions } from './client-options.ts';
import { cancelJob, executionFrames, waitForEnd } from './execution-frames.ts';
import { ExecutionStream } from './execution-stream.ts';
import type { FollowOptions } from './follow.ts';
import type { Execution } from './generated/api-types.ts';
import type { AnswerOf, BodyOf, FormOf, OperationName, Without } from './operations.ts';
import { readJson } from './read-response.ts';
import { newIdempotencyKey } from './request-parts.ts';
import type { Transport } from './transport.ts';

/** How long one request waits for the end, in seconds. */
const WAIT_S = 60;

/** Extra time limit beyond that wait. */
const ANSWER_TIMEOUT_MS = 60_000;

export interface ExecuteOptions extends CallOptions {
  /** Requests with the same key within a day start one execution. Default: a new key per call. */
  idempotencyKey?: string | undefined;
}

type ExecutingRoute = {
  [Name in OperationName]: AnswerOf<Name> extends Execution ? (Name extends `POST ${string}` ? Name : never) : never;
}[OperationName];

/** The body of a request. If the route accepts a file, `file` may replace the id of an asset. */
export type ExecutingBody<Name extends ExecutingRoute> = Without<BodyOf<Name> | FormOf<Name>, 'stream'>;

/** A call that starts an execution: wait for it, stream it, or start it only. */
export interface ExecutingCall<Body, Answer extends Execution> {
  /**
   * Starts an execution and waits for its end, or until it needs decisions about tool calls. A failed execution is
   * returned, not thrown: see `succeeded`.
   */
  (body: Body, options?: ExecuteOptions): Promise<Answer>;
  /** Starts an execution and streams it. The request is sent when you start to read. */
  stream(body: Body, options?: ExecuteOptions & FollowOptions): ExecutionStream;
  /** Starts an execution and returns it immediately, while it is queued. */
  start(body: Body, options?: ExecuteOptions): Promise<Answer>;
}

/** Returns the call of a route that starts an execution. */
export function executingCall<Name extends ExecutingRoute>(
  transport: Transport,
  name: Name,
): ExecutingCall<ExecutingBody<Name>, AnswerOf<Name> & Execution> {
  type Body = ExecutingBody<Name>;
  type Answer = AnswerOf<Name> & Execution;
  const start = (body: Body, prefer: string, options: ExecuteOptions, timeoutMs: number) => {
    const headers = { Prefer: prefer, ...options.headers };
    return transport.send(
      name,
      inputOf(body),
      {
        ...callOptions(options),
        idempotencyKey: options.idempotencyKey,
        timeoutMs: options.timeoutMs ?? timeoutMs,
        headers,
      },
      readJson<Answer>,
    );
  };
  const call = async (body: Body, options: ExecuteOptions = {}): Promise<Answer> => {
    const waitS = waitWithin(options.timeoutMs);
    const started = await start(body, `wait=${waitS}`, options, waitS * 1_000 + ANSWER_TIMEOUT_MS);
    return (await waitForEnd(transport, started, options)) as Answer;
  };
  return Object.assign(call, {
    start: (body: Body, options: ExecuteOptions = {}) => start(body, 'respond-async', options, ANSWER_TIMEOUT_MS),
    stream: (body: Body, { idempotencyKey = newIdempotencyKey(), ...options }: ExecuteOptions & FollowOptions = {}) => {
      const input = inputOf({ ...(body as object), stream: true });
      const frames = executionFrames(transport, {
        executionId: null,
        start: (more) => transport.send(name, input, { ...more, idempotencyKey }, async (response) => response),
        ...options,
      });
      return new ExecutionStream(frames, (id) => cancelJob(transport, id));
    },
  });
}

/** Returns the seconds that the server may wait, so that its response arrives well within a time limit. */
function waitWithin(timeoutMs: number | undefined): number {
  return timeoutMs ? Math.max(1, Math.min(WAIT_S, Math.floor(timeoutMs / 2_000))) : WAIT_S;
}

function inputOf(body: object): { body: unknown } | { form: unknown } {
  return 'file' in body && body.file !== undefined ? { form: body } : { body };
}

/**
 * Returns an execution if it succeeded.
 *
 * @throws {ChorusError} the error of the execution; `cancelled` if it was cancelled
 */
export function succeeded<E extends Execution>(execution: E): E {
  if (execution.status === 'succeeded') return execution;
  if (execution.error !== null) throw errorFromBody(execution.error);
  throw chorusError('cancelled', `The execution is ${execution.status}.`, { status: 200 });
}
