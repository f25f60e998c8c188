import { ChorusError } from '@chorus/contract';
import type { AssetRecord } from '@chorus/database';
import type { Route } from '../define-route.ts';
import { formFields } from './form-fields.ts';
import { handleOnce } from './handle-once.ts';
import { parsePart } from './parse-part.ts';
import { FILE_PART, readForm } from './read-form.ts';
import type { RequestContext, ScopedContext } from './request-context.ts';

/** What a request with files brought: their bytes are stored, and nobody sees them before they are kept. */
export interface ReceivedFiles {
  /** The other fields, through the route's schema. */
  body: unknown;
  staged: AssetRecord[];
}

/**
 * Reads a form whose files become assets. Where the route's body can name an asset instead (`as`), the file's id stands there, so that the handler sees no
 * difference.
 *
 * @throws {ChorusError} invalid_request, payload_too_large, unsupported_media_type, limit_reached, store_unavailable. @throws {ClientGoneError}
 */
export async function receiveFiles(route: Route, context: ScopedContext): Promise<ReceivedFiles> {
  const { request, response, services, owner } = context;
  const { assets, config } = services;
  const { uploadBytes: fileBytes } = config.assets.limits;
  const limits = { fileBytes, files: route.file?.most ?? 1, idleMs: config.assets.uploadIdleMs };
  const release = await services.userPlaces.take(owner.user_id, 'uploads');
  const { fields, stored: staged } = await readForm(request, response, limits, {
    store: (body, filename) => assets.stage({ owner, body, filename }),
    discard: (record) => assets.discard(record),
  }).finally(release);
  try {
    return { body: bodyOf(route, fields, staged), staged };
  } catch (error) {
    await Promise.all(staged.map((one) => assets.discard(one)));
    throw error;
  }
}

function bodyOf({ body: schema, file }: Route, fields: Record<string, unknown>, [staged]: AssetRecord[]): unknown {
  const as = file?.as;
  if (as !== undefined && as in fields) throw notBeside(as);
  const given = { ...formFields(schema, fields), ...(as === undefined ? {} : { [as]: staged?.id }) };
  if (schema !== undefined) return parsePart(schema, given, 'body');
  const [unknown] = Object.keys(given);
  if (unknown !== undefined) throw invalid(`body.${unknown.slice(0, 100)}`, `unknown field; allowed: ${FILE_PART}`);
  return undefined;
}

/**
 * Keeps the files as assets and runs the route's handler; what was not run, since the request came before, or was refused leaves no asset behind. With an
 * `Idempotency-Key` a request is the same if its fields and the files' bytes are.
 */
export function handleWithFiles(
  route: Route,
  context: ScopedContext,
  { body, staged }: ReceivedFiles,
  handle: (files: AssetRecord[]) => Promise<unknown>,
  renew: ((answer: unknown) => Promise<unknown>) | undefined,
): Promise<unknown> {
  const { assets } = context.services;
  let state: 'staged' | 'keeping' | 'kept' = 'staged';
  const discard = () => Promise.all(staged.map((one) => assets.discard(one)));
  // No async function may await the handler here: its frame would keep the parsed body alive while a stream is open.
  const keepAndHandle = () => {
    state = 'keeping';
    return Promise.all(staged.map((one) => assets.keep(one))).then((records) => {
      state = 'kept';
      return handle(records);
    });
  };
  const handled = handleOnce(route, context, askedOf(route, body, staged), keepAndHandle, renew);
  return handled.then(
    async (answer) => {
      if (state === 'staged') await discard();
      return answer;
    },
    async (error) => {
      // A record that could not be kept for sure may be there all the same: its bytes are left to the sweep.
      if (state === 'staged') await discard();
      else if (state === 'kept' && hasDoneNothing(context, error))
        await Promise.all(staged.map(({ id }) => assets.remove(context.owner, id).catch(() => undefined)));
      throw error;
    },
  );
}

/** What the request asks for: another file with the same bytes has another id, and is the same. */
function askedOf({ file }: Route, body: unknown, staged: AssetRecord[]): object {
  const as = file?.as;
  const hashes = staged.map(({ sha256 }) => sha256).join();
  return { ...(body as object), ...(as === undefined ? {} : { [as]: null }), [FILE_PART]: hashes };
}

/** Whether a handler failed before anything could come to need the asset. */
function hasDoneNothing({ response, executionId }: RequestContext, error: unknown): boolean {
  const refused = error instanceof ChorusError && (error.status < 500 || error.code === 'overloaded');
  return refused && executionId === null && !response.headersSent;
}

function notBeside(field: string): ChorusError {
  return invalid(`body.${field}`, `excludes \`${FILE_PART}\``);
}

function invalid(path: string, message: string): ChorusError {
  return new ChorusError('invalid_request', `${path}: ${message}`, { details: [{ path, message }] });
}
