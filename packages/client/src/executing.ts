import { ChorusError, errorOfBody } from './chorus-error.ts';
import type { CallOptions } from './client-options.ts';
import { executionFrames } from './execution-frames.ts';
import { ExecutionStream } from './execution-stream.ts';
import type { FollowOptions } from './follow.ts';
import type { Execution } from './generated/api-types.ts';
import { newKey } from './new-key.ts';
import type { AnswerOf, BodyOf, FormOf, OperationName, Without } from './operations.ts';
import { readJson } from './read-json.ts';
import { cancelJob, waitForEnd } from './resources/executions.ts';
import type { Transport } from './transport.ts';

/** How long one request waits for the end before it is asked anew, in seconds. */
const WAIT_S = 60;

/** Beyond what a request waits for, in milliseconds. */
const ANSWER_WITHIN_MS = 60_000;

export interface ExecuteOptions extends CallOptions {
  /** The same key a day long means the same execution. Absent: one is made for each call, so that a lost answer begins nothing twice. */
  idempotencyKey?: string | undefined;
}

type ExecutingRoute = {
  [Name in OperationName]: AnswerOf<Name> extends Execution ? (Name extends `POST ${string}` ? Name : never) : never;
}[OperationName];

/** A request without what says how it is answered; where a route takes files, `file` may stand in place of their ids. */
export type ExecutingBody<Name extends ExecutingRoute> = Without<BodyOf<Name> | FormOf<Name>, 'stream'>;

/** A route that runs something. */
export interface ExecutingCall<Body, Answer extends Execution> {
  /** Runs it, and waits for its end, however long that takes. An execution that failed is answered, not thrown: see `succeeded`. */
  (body: Body, options?: ExecuteOptions): Promise<Answer>;
  /** Runs it, and follows it. Nothing happens before it is read. */
  stream(body: Body, options?: ExecuteOptions & FollowOptions): ExecutionStream;
  /** Begins it, and answers at once with the queued execution. */
  start(body: Body, options?: ExecuteOptions): Promise<Answer>;
}

/** The call of a route that runs something. */
export function executing<Name extends ExecutingRoute>(
  transport: Transport,
  name: Name,
): ExecutingCall<ExecutingBody<Name>, AnswerOf<Name> & Execution> {
  type Body = ExecutingBody<Name>;
  type Answer = AnswerOf<Name> & Execution;
  const begin = (body: Body, prefer: string, { signal, idempotencyKey }: ExecuteOptions, timeoutMs: number) =>
    transport.send(
      name,
      inputOf(body),
      { signal, idempotencyKey, timeoutMs, headers: { Prefer: prefer } },
      readJson<Answer>,
    );
  const call = async (body: Body, options: ExecuteOptions = {}): Promise<Answer> => {
    const begun = await begin(body, `wait=${WAIT_S}`, options, WAIT_S * 1_000 + ANSWER_WITHIN_MS);
    return (await waitForEnd(transport, begun, options)) as Answer;
  };
  return Object.assign(call, {
    start: (body: Body, options: ExecuteOptions = {}) => begin(body, 'respond-async', options, ANSWER_WITHIN_MS),
    stream: (body: Body, { idempotencyKey = newKey(), ...options }: ExecuteOptions & FollowOptions = {}) => {
      const input = inputOf({ ...(body as object), stream: true });
      const frames = executionFrames(transport, {
        executionId: null,
        begin: (more) => transport.send(name, input, { ...more, idempotencyKey }, async (response) => response),
        ...options,
      });
      return new ExecutionStream(frames, (id) => cancelJob(transport, id));
    },
  });
}

function inputOf(body: object): { body: unknown } | { form: unknown } {
  return 'file' in body && body.file !== undefined ? { form: body } : { body };
}

/**
 * An execution that succeeded, as it is.
 *
 * @throws {ChorusError} what it failed with; `cancelled` when it was cancelled
 */
export function succeeded<E extends Execution>(execution: E): E {
  if (execution.status === 'succeeded') return execution;
  if (execution.error !== null) throw errorOfBody(execution.error);
  throw new ChorusError('cancelled', `The execution is ${execution.status}.`, { status: 200 });
}
