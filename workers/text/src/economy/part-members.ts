import { ChorusError, isTerminal } from '@chorus/contract';
import type { BatchPartRecord, ExecutionRecord } from '@chorus/database';
import type { Batches, BatchResult, BatchState, CallOptions } from '@chorus/providers';
import {
  isProviders,
  release,
  type SettleParts,
  settleAnswer,
  settleUnanswered,
  type Unanswered,
} from './settle-result.ts';

/** Executions that are read or ended together. */
const PAGE = 50;

type Ended = Exclude<BatchState, { status: 'pending' | 'failed' }>;

const isHeldBy = ({ id }: BatchPartRecord, { status, economy }: ExecutionRecord): boolean =>
  !isTerminal(status) && economy?.part === id;

/** Yields the executions that a part holds and that have not ended. */
export async function* membersOf(
  { database }: Pick<SettleParts, 'database'>,
  part: BatchPartRecord,
): AsyncGenerator<ExecutionRecord[], void, undefined> {
  const { ids, owner } = part;
  for (let from = 0; from < ids.length; from += PAGE) {
    const page = await database.executions.getMany(owner, ids.slice(from, from + PAGE));
    const held = page.filter((execution) => isHeldBy(part, execution));
    yield held.sort((one, other) => (one.id < other.id ? -1 : 1));
  }
}

/** Ends the executions of a part, or releases them. */
export async function endMembers(
  parts: SettleParts,
  part: BatchPartRecord,
  why: Unanswered,
  isFallback: boolean,
): Promise<void> {
  const releases = isFallback && part.stop === null;
  for await (const page of membersOf(parts, part))
    await Promise.all(page.map((one) => (releases ? release(parts, one, part.id) : settleUnanswered(parts, one, why))));
}

/** Ends the executions of a part with the results of its batch. */
export async function collectResults(
  parts: SettleParts & { batches: Batches },
  part: BatchPartRecord,
  state: Ended,
  isFallback: boolean,
  options: CallOptions,
): Promise<void> {
  let page: BatchResult[] = [];
  for await (const result of state.results(options)) {
    page.push(result);
    if (page.length < PAGE) continue;
    await settlePage(parts, part, page, isFallback);
    page = [];
  }
  await settlePage(parts, part, page, isFallback);
  const lost = new ChorusError('provider_error', `${part.provider} returned no result for this request.`);
  await endMembers(parts, part, part.stop ?? (state.status === 'ended' ? lost : 'expired'), isFallback);
}

async function settlePage(
  parts: SettleParts & { batches: Batches },
  part: BatchPartRecord,
  page: readonly BatchResult[],
  isFallback: boolean,
): Promise<void> {
  const { owner, id, stop } = part;
  const found = await parts.database.executions.getMany(
    owner,
    page.map((result) => result.id),
  );
  const held = new Map(found.filter((execution) => isHeldBy(part, execution)).map((one) => [one.id, one]));
  await Promise.all(
    page.map(async ({ id: executionId, answer, ended }) => {
      const execution = held.get(executionId);
      if (execution === undefined) return;
      const isReleased = isFallback && stop === null && (answer === undefined || isProviders(answer));
      if (isReleased) await release(parts, execution, id);
      else if (answer !== undefined) await settleAnswer(parts, parts.batches, execution, answer);
      else await settleUnanswered(parts, execution, stop ?? ended ?? 'expired');
    }),
  );
}
