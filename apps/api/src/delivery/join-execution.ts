import { isTerminal } from '@chorus/contract';
import type { ScopedContext } from '../http/request-context.ts';
import { unknownRecord } from '../http/unknown-record.ts';
import { deliver, follows, wantsSound } from './deliver.ts';
import { holdPlace } from './hold-place.ts';
import { readPreference } from './prefer.ts';

/** Answers with an execution that an earlier request has begun, as if this one had. */
export async function joinExecution(context: ScopedContext, id: string, stream: boolean): Promise<undefined> {
  const { services, owner, request } = context;
  const record = await services.database.executions.get(owner, id);
  if (record === null) throw unknownRecord('job');
  const sound = record.kind === 'voice.turn' && wantsSound(context, stream);
  const options = { stream, sound, preference: readPreference(request.headers.prefer) };
  const followed = stream || sound || (follows(options) && !isTerminal(record.status));
  if (followed) await holdPlace(context, 'waits');
  return deliver(context, { record, reader: followed ? await services.hub.open(id, 0) : null }, options);
}
