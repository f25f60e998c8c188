import { createHash } from 'node:crypto';
import { bytesOfId, ChorusError, idOfBytes, imageInputOf, irisImage, type Owner, parseBounded } from '@chorus/contract';
import type { Database, ExecutionRecord } from '@chorus/database';
import type { EventHub, EventLog, EventReader } from '@chorus/events';
import { chooseModel, follow, type Work } from '@chorus/executions';
import type { GenerateImage, ImageRequest } from './platform-parts.ts';

/** Starts and cancels executions: `createDispatcher` of `packages/queue`. */
export interface ImageDispatcher {
  dispatch(
    request: Work<typeof irisImage.kind> & {
      id: string;
      owner: Owner;
      requestId: string | null;
      apiKeyId: string | null;
      follow: boolean;
    },
  ): Promise<{ record: ExecutionRecord; reader: EventReader | null }>;
  cancel(owner: Owner, id: string): Promise<unknown>;
}

export interface ImageJobParts {
  database: Pick<Database, 'executions'>;
  eventLog: EventLog;
  hub: Pick<EventHub, 'open'>;
  dispatcher: ImageDispatcher;
  registry: { recentWorkers(): Promise<Parameters<typeof chooseModel>[0]> };
  /** The configured default. Null: the first model of the workers. */
  model: string | null;
  /** Whether an abort ends the agent's execution, and so the image's. Otherwise another worker continues it. */
  isEnding(reason: unknown): boolean;
}

/**
 * Generates images as executions, which survive the worker that waits for them. A repeated call finds the execution
 * of the first one.
 */
export function createImageJobs(parts: ImageJobParts): GenerateImage {
  return async (request, signal) => {
    const { owner } = request;
    const { record, reader } = await beginOrFind(parts, request);
    const stop = () => reader.close();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      const ended = await endOf(parts, owner, record, reader);
      signal.throwIfAborted();
      if (ended === null) throw new ChorusError('not_found', 'The execution of the image was deleted.');
      if (ended.status !== 'succeeded')
        throw new ChorusError('provider_error', ended.error?.message ?? 'The image was canceled.');
      const assets = ended.output.flatMap((item) => (item.type === 'asset' ? [item.asset] : []));
      return { assets, usage: ended.usage };
    } catch (error) {
      if (signal.aborted && parts.isEnding(signal.reason))
        await parts.dispatcher.cancel(owner, record.id).catch(() => undefined);
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
      reader.close();
    }
  };
}

async function beginOrFind(
  { database, hub, dispatcher, registry, model: configured }: ImageJobParts,
  { owner, executionId, callId, prompt, size, model: asked }: ImageRequest,
): Promise<{ record: ExecutionRecord; reader: EventReader }> {
  const id = imageJobId(executionId, callId);
  const found = await database.executions.get(owner, id);
  if (found !== null) return { record: found, reader: await hub.open(id, 0) };
  const parsed = parseBounded(irisImage.request, { prompt, size });
  if (!parsed.success) throw new ChorusError('invalid_request', messageOf(parsed.error));
  const workers = await registry.recentWorkers();
  const model = chooseModel(workers, { pool: 'media', capability: 'image', asked, configured, path: 'model' });
  const agent = await database.executions.get(owner, executionId);
  const { record, reader } = await dispatcher.dispatch({
    kind: irisImage.kind,
    model,
    input: imageInputOf(parsed.data, model),
    id,
    owner,
    requestId: null,
    // The image is charged to the key's budget.
    apiKeyId: agent?.api_key_id ?? null,
    // Deletes the image with the conversation.
    ...(agent !== null && agent.session_id !== null && { session_id: agent.session_id }),
    follow: true,
  });
  return { record, reader: reader ?? (await hub.open(record.id, 0)) };
}

/** Describes an invalid argument in the terms of the tool. */
function messageOf({ issues }: { issues: readonly { path: readonly PropertyKey[]; message: string }[] }): string {
  return issues.map(({ path, message }) => `\`${path.join('.')}\` ${message}.`).join(' ');
}

async function endOf(
  { database, eventLog }: ImageJobParts,
  owner: Owner,
  record: ExecutionRecord,
  reader: EventReader,
): Promise<ExecutionRecord | null> {
  for (;;) {
    const followed = await follow({ database, eventLog, owner, record, reader, events: false });
    if (followed === null) return null;
    if ('ended' in followed) return followed.ended;
  }
}

/** Derives the id of a call's execution. It starts with the time of the agent's id, since ids sort by time. */
export function imageJobId(executionId: string, callId: string): string {
  const bytes = createHash('sha256').update(`${executionId} ${callId}`).digest().subarray(0, 16);
  bytes.set(bytesOfId(executionId).subarray(0, 6));
  // Version 7 and the variant of a UUID.
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return idOfBytes('job', bytes);
}
