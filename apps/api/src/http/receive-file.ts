import { ChorusError } from '@chorus/contract';
import type { AssetRecord } from '@chorus/database';
import type { Route } from '../define-route.ts';
import { formFields } from './form-fields.ts';
import { handleIdempotently } from './idempotency.ts';
import { parsePart } from './parse-part.ts';
import { FILE_PART, readForm } from './read-form.ts';
import type { RequestContext, ScopedContext } from './request-context.ts';

/** The files of a request. They are stored, but not visible until they are kept. */
export interface ReceivedFiles {
  /** The other fields, validated by the route's schema. */
  body: unknown;
  staged: AssetRecord[];
  /** The names of their parts. */
  parts: string[];
}

/**
 * Reads a form whose files become assets. If the body can also name an asset (`as`), the file's id is set
 * there, so the handler sees no difference.
 * @throws {ChorusError} invalid_request, payload_too_large, unsupported_media_type, limit_reached,
 * store_unavailable
 * @throws {ClientGoneError}
 */
export async function receiveFiles(route: Route, context: ScopedContext): Promise<ReceivedFiles> {
  const { request, response, services, owner } = context;
  const { assets, config } = services;
  const { uploadBytes: fileBytes } = config.assets.limits;
  const limits = {
    fileBytes,
    files: route.file?.maxFiles ?? 1,
    ...(route.file?.parts && { parts: route.file.parts }),
    idleMs: config.assets.uploadIdleMs,
  };
  const release = await services.userPlaces.take(owner.user_id, 'uploads');
  const {
    fields,
    stored: staged,
    parts,
  } = await readForm(request, response, limits, {
    store: (body, filename) => assets.stage({ owner, body, filename }),
    discard: (record) => assets.discard(record),
  }).finally(release);
  try {
    return { body: bodyOf(route, fields, staged), staged, parts };
  } catch (error) {
    await Promise.all(staged.map((one) => assets.discard(one)));
    throw error;
  }
}

function bodyOf({ body: schema, file }: Route, fields: Record<string, unknown>, [staged]: AssetRecord[]): unknown {
  const as = file?.as;
  if (as !== undefined && as in fields) throw singleSourceOnly(as);
  const given = { ...formFields(schema, fields), ...(as === undefined ? {} : { [as]: staged?.id }) };
  if (schema !== undefined) return parsePart(schema, given, 'body');
  const [unknown] = Object.keys(given);
  if (unknown !== undefined)
    throw invalid(`body.${unknown.slice(0, 100)}`, `is not a known field; allowed: ${FILE_PART}`);
  return undefined;
}

/**
 * Keeps the files as assets and runs the route's handler. Removes them if the handler did not run or failed.
 * With an `Idempotency-Key`, requests are equal if their fields and file contents are.
 */
export function handleWithFiles(
  route: Route,
  context: ScopedContext,
  { body, staged, parts }: ReceivedFiles,
  handle: (files: AssetRecord[]) => Promise<unknown>,
  renew: ((answer: unknown) => Promise<unknown>) | undefined,
): Promise<unknown> {
  const { assets } = context.services;
  let state: 'staged' | 'keeping' | 'kept' = 'staged';
  const discard = () => Promise.all(staged.map((one) => assets.discard(one)));
  // Don't await the handler in an async function: its frame would keep the parsed body in memory while a stream
  // is open.
  const keepAndHandle = () => {
    state = 'keeping';
    return Promise.all(staged.map((one) => assets.keep(one))).then((records) => {
      state = 'kept';
      return handle(records);
    });
  };
  const handled = handleIdempotently(route, context, fingerprintBody(route, body, staged, parts), keepAndHandle, renew);
  return handled.then(
    async (answer) => {
      if (state === 'staged') await discard();
      return answer;
    },
    async (error) => {
      // If keeping failed, the record may exist all the same. The sweep cleans up its bytes.
      if (state === 'staged') await discard();
      else if (state === 'kept' && hadNoEffect(context, error))
        await Promise.all(staged.map(({ id }) => assets.remove(context.owner, id).catch(() => undefined)));
      throw error;
    },
  );
}

/** Returns what the request asks for. Files count by content, not by id. */
function fingerprintBody({ file }: Route, body: unknown, staged: AssetRecord[], parts: string[]): object {
  const as = file?.as;
  const hashes = staged
    .map(({ sha256 }, index) => (parts[index] === FILE_PART ? sha256 : `${parts[index]}:${sha256}`))
    .join();
  return { ...(body as object), ...(as === undefined ? {} : { [as]: null }), [FILE_PART]: hashes };
}

/** Returns whether a handler failed before anything could refer to the asset. */
function hadNoEffect({ response, executionId }: RequestContext, error: unknown): boolean {
  const refused = error instanceof ChorusError && (error.status < 500 || error.code === 'overloaded');
  return refused && executionId === null && !response.headersSent;
}

function singleSourceOnly(field: string): ChorusError {
  return invalid(`body.${field}`, `excludes \`${FILE_PART}\``);
}

function invalid(path: string, message: string): ChorusError {
  return new ChorusError('invalid_request', `${path}: ${message}`, { details: [{ path, message }] });
}
