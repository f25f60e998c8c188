import { idSchema } from '@chorus/contract';
import { z } from 'zod';
import { rpcId } from './json-rpc.ts';

/** Identifies a call and how much its client has seen: enough to resume its stream on any process. */
const resumption = z.object({
  tool: z.string().max(100),
  job: idSchema('job'),
  /** Of the request. */
  id: rpcId,
  /** For progress. */
  token: rpcId.optional(),
  /** The last event of the execution that the client's progress covers. */
  seq: z.int().min(0),
  progress: z.number().min(0),
});
export type Resumption = z.infer<typeof resumption>;

/** Returns the id of a stream's event. It grants nothing: resuming needs access to the execution. */
export function resumptionId(known: Resumption): string {
  return Buffer.from(JSON.stringify(known)).toString('base64url');
}

/** Reads the id of an event. Null: it is not one of ours. */
export function readResumption(eventId: string): Resumption | null {
  if (eventId.length > 8_000) return null;
  try {
    return resumption.parse(JSON.parse(Buffer.from(eventId, 'base64url').toString()));
  } catch {
    return null;
  }
}
