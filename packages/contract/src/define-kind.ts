import type { z } from 'zod';
import type { Demand } from './demand.ts';
import type { ErrorCode } from './errors/index.ts';
import type { Execution, SURFACES } from './execution.ts';
import type { Pool } from './names/index.ts';
import type { SpeechFormat } from './names/speech-format.ts';

/** Reports its health like a pool, but has no queue. */
export const MAINTENANCE = 'maintenance';

/** The messages of a session that a job answers and writes. */
export interface TurnMessages {
  /** The message that the job answers: the user's, or the last result of a tool. */
  user_message_id: string;
  assistant_message_id: string;
  /** All results of tools that the job answers, in order. */
  tool_message_ids?: string[] | undefined;
}

/** Adapts the executions of a kind to OpenAI's clients. */
export interface OpenAiStyle<Input = unknown> {
  /** The `object` of each stream frame. */
  readonly chunk: string;
  /** Adds the fields of OpenAI's object. */
  present(execution: Execution, finishReason: string | null): Execution;
  /** Returns whether the request has OpenAI's form, so that a failure becomes an error response. */
  isStrict(input: Partial<Input>): boolean;
}

/** The route of a kind, for the OpenAPI document. */
export interface KindRoute {
  readonly summary: string;
  readonly description?: string;
  /** The request field that a file can replace in `multipart/form-data`. */
  readonly file?: { readonly as: string };
  /** The response, unless it is just an execution. */
  readonly answer?: z.ZodType;
  readonly headers?: Readonly<Record<string, string>>;
  readonly answerHeaders?: Readonly<Record<string, string>>;
  readonly refuses?: readonly ErrorCode[];
}

/** The record of one kind of work. Types, routes, documentation, batches and lists derive from it. */
export interface KindDefinition<
  Kind extends string = string,
  P extends Pool = Pool,
  Request extends z.ZodType = z.ZodType,
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
  Batchable extends boolean | z.ZodType = boolean | z.ZodType,
  Capability extends string | null = string | null,
> {
  readonly kind: Kind;
  readonly surface: (typeof SURFACES)[number];
  readonly pool: P;
  /** Display name. */
  readonly label: string;
  /** The path of its route, under `/api/v1`. */
  readonly path: `/${string}`;
  /** Documents the route. Absent: `apps/api` declares it by hand. */
  readonly route?: KindRoute;
  /** The request body. */
  readonly request: Request;
  /**
   * The queued job's input, parsed again by the worker. Not strict, so that workers accept jobs of a newer API
   * during an upgrade.
   */
  readonly input: Input;
  /** An output item that the handler may return or emit. */
  readonly output: Output;
  /** The capability that its model needs. Null: it runs without a model. */
  readonly capability: Capability;
  /** The optional component that every job of this kind needs. */
  readonly component?: 'search';
  /**
   * Returns whether a job works on this machine even if its model does not, so that it waits for a worker's place.
   * Absent, or false: a job whose model is a provider's waits in the lane of the provider.
   */
  usesPlace?(input: Partial<z.output<Input>>): boolean;
  /** Time limit of one attempt. */
  readonly timeoutMs: number;
  /** Multiplies the time limit, even a configured one. Absent: 1. */
  timeFactor?(input: z.output<Input>): number;
  /** Returns the job's cost in turns, for fair queueing. Absent: 1. */
  cost?(input: z.output<Input>): number;
  /**
   * Returns the most that a job asks of its model at first, for budgets. Absent: unknown before its worker reads what
   * it works on. In both cases the worker reserves more before each call that needs it.
   */
  demand?(input: z.output<Input>): Demand;
  /**
   * Returns the session turn that the job runs. Like the functions below, it receives stored input, which may
   * be blank.
   */
  turnOf?(input: Partial<z.output<Input>>): TurnMessages | null | undefined;
  /** Returns the knowledge entry that fails when the execution does not succeed. */
  entryOf?(input: Partial<z.output<Input>>): string | undefined;
  /**
   * Returns the subject of the work: a text, or the id of an asset or document. Absent: its session, if it has one.
   */
  subjectOf?(input: Partial<z.output<Input>>): string | undefined;
  /** Returns the audio format that a caller may request instead of the execution. The request then has a `format`. */
  soundOf?(input: Partial<z.output<Input>>): SpeechFormat | undefined;
  /** Its assets only present its result, so they are deleted with the execution. */
  readonly ownsAssets?: true;
  /** Fields of the input that responses repeat. Streams drop the others. */
  readonly repeats?: readonly (keyof z.output<Input> & string)[];
  /**
   * Returns whether the execution must be deleted, except for its usage, once its result has been delivered.
   */
  isTransient?(input: Partial<z.output<Input>>): boolean;
  readonly openAi?: OpenAiStyle<z.output<Input>>;
  /** Users send thousands at a time. A user's latest jobs need not wait for all earlier ones. */
  readonly comesInBulk?: true;
  /** Its requests may run through the batch endpoint of a provider. */
  readonly economy?: {
    /** Returns the field of a request that rules this out. Null: none. */
    refuses(request: Partial<z.output<Request>>): string | null;
    /** Returns whether a job calls a model once and does nothing else. */
    fits(input: z.output<Input>): boolean;
  };
  /** Whether batches may contain it. A schema: the item's body, if it differs from `request`. */
  readonly batchable: Batchable;
}

export function defineKind<
  const Kind extends string,
  const P extends Pool,
  Request extends z.ZodType,
  Input extends z.ZodType,
  Output extends z.ZodType,
  const Batchable extends boolean | z.ZodType,
  const Capability extends string | null,
>(
  definition: KindDefinition<Kind, P, Request, Input, Output, Batchable, Capability>,
): KindDefinition<Kind, P, Request, Input, Output, Batchable, Capability> {
  return definition;
}
