import type { JobKind } from '@chorus/contract';
import type { AssetRecord, ExecutionRecord } from '@chorus/database';
import { modelsNamed } from '@chorus/executions';
import { JOB_PLANS, type JobPlan, type JobRequest } from '@chorus/jobs';
import type { z } from 'zod';
import { defineRoute, type FileBody, type Route } from '../define-route.ts';
import type { WorkRequest } from '../executes.ts';
import type { Services } from '../services.ts';
import { checkFields, type NoEffect, type Rename, renameBy } from './check-fields.ts';
import { answerEnd, joinWork, type Present, runWork, type Stream } from './run-work.ts';

/** A file of a form, as an asset. */
export interface SentFile {
  part: string;
  asset: AssetRecord;
}

/** An endpoint of OpenAI's or Anthropic's API that runs a kind of work. */
export interface Endpoint<K extends JobKind, Body extends z.ZodObject> {
  readonly kind: K;
  /** Default: `openai`. */
  readonly at?: 'openai' | 'anthropic';
  /** Under `/openai/v1` or `/anthropic/v1`. */
  readonly path: `/${string}`;
  readonly summary: string;
  readonly description?: string;
  /** A loose object. Other fields are ignored and named in `X-Ignored-Fields`, unless `refused` has them. */
  readonly body: Body;
  /** Fields that would change the result but are not supported, each with a test for values without effect. */
  readonly refused?: Readonly<Record<string, NoEffect>>;
  /** Fields of the kind's request that are left out and named as ignored if the model does not support them. */
  readonly hints?: readonly (keyof JobRequest<K> & string)[];
  /** Whether the kind's plan refuses and names the other fields. */
  readonly planChecksFields?: true;
  readonly file?: FileBody;
  readonly answer: z.ZodType;
  readonly answerType?: string;
  /** The schema of a stream's frames. */
  readonly streams?: z.ZodType;
  /** Translates a body into the kind's request. */
  translate(body: z.output<Body>, files: readonly SentFile[]): JobRequest<K>;
  /** Names of the body's fields for errors, by the fields of the kind's request that have other names. */
  readonly fieldNames?: Readonly<Record<string, string>>;
  /** Returns how errors name the fields of a body, where that depends on the body. Replaces `fieldNames`. */
  renamer?(body: z.output<Body>): Rename;
  /** Returns how to present the result. The function outlives the request, so it must not keep the body. */
  presenter(body: z.output<Body>): Present;
  /** How batches present results. Absent: the endpoint cannot be used in batches. */
  readonly batch?: BatchPresenter<z.output<Body>>;
  /** Returns how to stream the result, if the body asks for that. Must not keep the body, either. */
  streamer?(body: z.output<Body>): Stream | null;
}

/** The services that presenting a result needs after the request. */
export interface ResultContext {
  services: Pick<Services, 'assets'>;
}

/** Presents results of a batch, when the requests are gone. */
export interface BatchPresenter<Body> {
  /** Fields of the request that are kept for `present`. */
  readonly keeps: readonly (keyof Body & string)[];
  present(record: ExecutionRecord, kept: Partial<Body>, context: ResultContext): unknown;
}

export function defineEndpoint<K extends JobKind, Body extends z.ZodObject>(
  work: Endpoint<K, Body>,
): Endpoint<K, Body> {
  return work;
}

/** Declares the route of an endpoint: translates the body, runs the work, and answers in the endpoint's shape. */
export function endpointRoute<K extends JobKind, Body extends z.ZodObject>(work: Endpoint<K, Body>): Route {
  const { kind, at = 'openai', body, refused = {}, fieldNames = {}, ...others } = work;
  const { translate, renamer, presenter, streamer, ...route } = others;
  const { file, streams, answerType, planChecksFields, hints = [], batch: _, ...described } = route;
  const plan = JOB_PLANS[kind] as unknown as JobPlan<K, JobRequest<K> & WorkRequest>;
  const known = new Set(Object.keys(body.shape));
  const deliveryOf = (asked: z.output<Body>) => ({ present: presenter(asked), stream: streamer?.(asked) ?? null });
  return defineRoute({
    ...described,
    ...(answerType !== undefined && { answerType }),
    ...(file !== undefined && { file }),
    ...(streams !== undefined && { streams }),
    method: 'post',
    at,
    area: at,
    needs: 'run',
    body,
    answerHeaders: {
      'X-Execution-ID': 'The execution, for `/api/v1/jobs`.',
      'X-Ignored-Fields': 'Names of ignored fields.',
    },
    refuses: ['not_found', 'provider_error', 'timeout'],
    executes: (context, id, _stream, asked) => {
      const { present, stream } = deliveryOf(asked as z.output<Body>);
      return joinWork(context, id, (record, reader) => answerEnd(context, record, reader, present, stream));
    },
    handle: async ({ body: asked, context, files, parts }) => {
      const given = withoutNulls(asked as z.output<Body>, refused);
      const unknown = checkFields(given, known, refused);
      const ignored = planChecksFields ? [] : unknown;
      const { present, stream } = deliveryOf(given);
      const sent = files.map((asset, index) => ({ part: parts[index] ?? '', asset }));
      const rename: Rename = renamer ? (text) => renamer(given)(text) : renameBy(fieldNames);
      const translated = translate(given, sent);
      const dropped = await unsupportedHints(context.services, { ...translated }, hints);
      const request = Object.fromEntries(Object.entries(translated).filter(([name]) => !dropped.includes(name)));
      const names = [...ignored, ...dropped.map((name) => rename(`body.${name}`).replace('body.', ''))];
      return runWork(context, plan, request as typeof translated, { ignored: names, rename }, (record, reader) =>
        answerEnd(context, record, reader, present, stream),
      );
    },
  });
}

/** Returns the hints of a request that its model does not support. */
async function unsupportedHints(
  { registry }: Pick<Services, 'registry'>,
  request: Readonly<Record<string, unknown>>,
  hints: readonly string[],
): Promise<string[]> {
  const { model } = request;
  if (hints.length === 0 || typeof model !== 'string') return [];
  const models = (await registry.recentWorkers()).flatMap((worker) => worker.models);
  const ids = modelsNamed(
    models.map(({ id }) => id),
    model,
  );
  const found = models.filter(({ id }) => ids.includes(id));
  const unsupported: ReadonlySet<string> = new Set(found.flatMap((one) => one.unsupported_settings ?? []));
  return hints.filter((name) => request[name] != null && unsupported.has(name));
}

/** Removes refused fields that are null, because clients send null for fields that they leave out. */
function withoutNulls<Body extends object>(body: Body, refused: Readonly<Record<string, NoEffect>>): Body {
  const entries = Object.entries(body).filter(([name, value]) => value !== null || !Object.hasOwn(refused, name));
  return Object.fromEntries(entries) as Body;
}
