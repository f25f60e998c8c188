import type { SaveFile } from '@chorus/agent-tools';
import type { AssetFacts } from '@chorus/contract';
import type { AgentJob } from './agent-state.ts';
import { boundedResult, cutTo } from './call-results.ts';

/** The beginning of a long result, which the model sees together with the file's id. */
const SHOWN_BYTES = 16_384;

interface LongResultParts {
  job: Pick<AgentJob, 'owner' | 'executionId' | 'signal' | 'log'>;
  saveFile: SaveFile | undefined;
  /** Whether the agent can read files. */
  reads: boolean;
}

/**
 * Fits a result into the room that earlier ones have left. A longer one is stored as a file of the scope, unless
 * that fails, such as when the scope has no storage left.
 *
 * @throws the signal's reason
 */
export async function keepResult(
  { job, saveFile, reads }: LongResultParts,
  text: string,
  before: readonly { result: string | null }[],
): Promise<{ result: string; assets: AssetFacts[] }> {
  const result = boundedResult(text, before);
  if (result === text || saveFile === undefined) return { result, assets: [] };
  try {
    const asset = await saveFile({ bytes: Buffer.from(text), filename: 'result.txt' }, job);
    const how = reads ? '`read_document` reads it.' : 'You cannot read it, but people can.';
    const shown = cutTo(text, Math.min(SHOWN_BYTES, Buffer.byteLength(result)));
    return { result: `${shown}\n[The whole result is the file ${asset.id}. ${how}]`, assets: [asset] };
  } catch (error) {
    job.signal.throwIfAborted();
    job.log.warn({ err: error }, 'long result not stored');
    return { result, assets: [] };
  }
}
