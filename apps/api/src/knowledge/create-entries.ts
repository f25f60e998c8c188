import {
  ChorusError,
  type KnowledgeCreate,
  type KnowledgeCreated,
  type KnowledgeUpload,
  type KnowledgeUploaded,
  knowledgeIngest,
  toErrorBody,
} from '@chorus/contract';
import type { AssetRecord, KnowledgeRecord } from '@chorus/database';
import { type IngestionRequest, JOB_PLANS } from '@chorus/jobs';
import { ContentTaken } from '@chorus/knowledge';
import type { Dispatched } from '@chorus/queue';
import { dispatchWork, requesterOf } from '../executes.ts';
import type { ScopedContext } from '../http/request-context.ts';
import {
  answerBegun,
  answerDuplicate,
  awaitIngestion,
  created,
  entryOf,
  followsIngestion,
} from './follow-ingestion.ts';

type CreatedEntry = { duplicate: KnowledgeRecord } | { entryId: string; begun: Dispatched };

/** Creates an entry from a text or URL, or answers with the entry that has the same content. */
export async function createEntry(
  context: ScopedContext,
  body: KnowledgeCreate,
): Promise<KnowledgeCreated | undefined> {
  const made = await make(context, body, followsIngestion(context, body));
  if ('duplicate' in made) return answerDuplicate(context, made.duplicate, body);
  return answerBegun(context, made.entryId, made.begun, body);
}

/**
 * Creates an entry from each file. A single file is answered with its entry. After the first file, failed ones
 * are listed in the response. Files that are refused or duplicate are removed.
 * @throws {ChorusError} the first file's error
 */
export async function createFromFiles(
  context: ScopedContext,
  files: readonly AssetRecord[],
  body: KnowledgeUpload,
): Promise<KnowledgeCreated | KnowledgeUploaded | undefined> {
  checkSingle(files, body);
  const { assets, database } = context.services;
  if (body.for_conversation) for (const { id } of files) await database.assets.makePrivate(context.owner, id);
  const made: CreatedEntry[] = [];
  const failed: KnowledgeUploaded['failed'] = [];
  for (const file of files) {
    try {
      const one = await make(context, { ...body, file }, followsIngestion(context, body));
      if ('duplicate' in one) await assets.remove(context.owner, file.id);
      made.push(one);
    } catch (error) {
      if (!(error instanceof ChorusError) || made.length === 0) throw error;
      failed.push({ filename: file.filename, error: toErrorBody(error, context.requestId) });
      await assets.remove(context.owner, file.id);
    }
  }
  const [only] = made;
  if (body.stream && only !== undefined) {
    if ('duplicate' in only) await answerDuplicate(context, only.duplicate, body);
    else await answerBegun(context, only.entryId, only.begun, body);
    return undefined;
  }
  const waits = made.map((one) => ('begun' in one ? awaitIngestion(context, one.begun) : undefined));
  await Promise.all(waits);
  const data = made.map(async (one) =>
    'duplicate' in one ? created(one.duplicate, true) : created(await entryOf(context, one.entryId), false),
  );
  const [first, ...others] = await Promise.all(data);
  if (files.length === 1 && first !== undefined) return first;
  return { object: 'list', data: first === undefined ? [] : [first, ...others], failed };
}

async function make(context: ScopedContext, request: IngestionRequest, follow: boolean): Promise<CreatedEntry> {
  const { services, owner } = context;
  try {
    const work = await JOB_PLANS[knowledgeIngest.kind].plan(request, requesterOf(context), services);
    const begun = await dispatchWork(context, work, request, { follow });
    return { entryId: knowledgeIngest.input.parse(begun.record.input).entry_id, begun };
  } catch (error) {
    if (!(error instanceof ContentTaken)) throw error;
    const duplicate = error.entry ?? (await services.database.knowledge.findContent(owner, error.sha256));
    // The other entry failed, or has been deleted.
    if (duplicate === null)
      throw new ChorusError(
        'conflict',
        'Another request has just created an entry with the same content. Retry later.',
        { retryAfterS: 1 },
      );
    return { duplicate };
  }
}

function checkSingle(files: readonly AssetRecord[], { title, stream }: KnowledgeUpload): void {
  if (files.length < 2) return;
  const field = stream ? 'stream' : title === undefined ? null : 'title';
  if (field === null) return;
  const message = 'is only allowed with a single file';
  throw new ChorusError('invalid_request', `body.${field}: ${message}`, {
    details: [{ path: `body.${field}`, message }],
  });
}
