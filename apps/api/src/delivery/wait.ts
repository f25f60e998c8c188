import type { ExecutionRecord } from '@chorus/database';
import type { EventReader } from '@chorus/events';
import { follow } from '@chorus/executions';
import type { ScopedContext } from '../http/request-context.ts';

/** Waits for an execution's end, for so long at most, or until the client goes; answers the record as it then stands. */
export async function waitForEnd(
  context: ScopedContext,
  record: ExecutionRecord,
  reader: EventReader,
  waitMs: number,
): Promise<ExecutionRecord> {
  const { response, services, owner } = context;
  const close = () => reader.close();
  const timer = setTimeout(close, waitMs);
  response.once('close', close);
  const closed = services.streams.open(close);
  if (response.destroyed) close(); // the client went before this: nothing will tell of it again
  try {
    for (;;) {
      const step = await follow({
        database: services.database,
        eventLog: services.eventLog,
        owner,
        record,
        reader,
        events: false,
      });
      if (step === null) break;
      if ('ended' in step) return step.ended;
    }
    return (await services.database.executions.get(owner, record.id)) ?? record;
  } finally {
    clearTimeout(timer);
    response.off('close', close);
    closed();
    reader.close();
  }
}
