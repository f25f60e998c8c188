import { auditForOperators } from '@chorus/accounts';
import {
  type Actor,
  ChorusError,
  type LaneEntry,
  type LaneResume,
  MAX_LISTED_LANES,
  type Page,
  providerOf,
} from '@chorus/contract';
import type { QueuedLane } from '@chorus/queue';
import type { Services } from '../services.ts';

type Parts = Pick<Services, 'accounts' | 'database' | 'dispatcher'>;
type LaneList = Page<LaneEntry> & { object: 'list' };

export async function listLanesOf({ dispatcher }: Pick<Parts, 'dispatcher'>): Promise<LaneList> {
  return listOf(await dispatcher.lanes.read());
}

/**
 * Lets a call test a lane, or each lane of a provider. All operators see who did it.
 *
 * @throws {ChorusError} not_found if nothing has used the lane; store_unavailable
 */
export async function resumeLanesOf(
  { accounts, database, dispatcher }: Parts,
  actor: Actor,
  { lane, provider }: LaneResume,
): Promise<LaneList> {
  const isAsked = (one: QueuedLane) => (lane === undefined ? providerOf(one.lane) === provider : one.lane === lane);
  const asked = (await dispatcher.lanes.read()).filter(isAsked);
  if (asked.length === 0 && lane !== undefined)
    throw new ChorusError('not_found', `No call has used the lane ${lane} within a day.`);
  // Not by provider, since lanes that have waited for more than a day are no longer known by it.
  await Promise.all(asked.map((one) => dispatcher.lanes.resume(one.lane)));
  const target = lane === undefined ? { type: 'provider', id: String(provider) } : { type: 'lane', id: lane };
  await auditForOperators({ users: database.users, audit: accounts.audit }, actor, { action: 'lane.resumed', target });
  return listOf((await dispatcher.lanes.read()).filter(isAsked));
}

function listOf(lanes: readonly QueuedLane[]): LaneList {
  return {
    object: 'list',
    data: lanes.slice(0, MAX_LISTED_LANES).map(present),
    has_more: false,
    next_cursor: null,
  };
}

function present(state: QueuedLane): LaneEntry {
  const { lane, closedMs, since, waiting, oldestMs } = state;
  const provider = providerOf(lane);
  return {
    lane,
    object: 'lane',
    provider,
    model: lane.slice(provider.length + 1),
    limit: state.limit,
    set_limit: state.setLimit,
    in_use: state.inUse,
    waiting,
    oldest_waiting_ms: waiting === 0 ? null : oldestMs,
    accepted: state.accepted,
    refused: state.refused,
    failed: state.failed,
    reason: state.reason,
    since: since === null ? null : new Date(since).toISOString(),
    until: closedMs ? new Date(Date.now() + closedMs).toISOString() : null,
    half_open: state.halfOpen,
  };
}
