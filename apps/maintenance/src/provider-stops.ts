import { auditForOperators } from '@chorus/accounts';
import { type AuditLog, isStopReason, NO_ACTOR, providerOf, type StopReason, type WaitReason } from '@chorus/contract';
import type { Database, ProviderStopRecord } from '@chorus/database';
import { noteOperatorEvent } from '@chorus/webhooks';

/** The state of a lane, as far as it says whether its provider has stopped it. */
export interface ObservedLane {
  lane: string;
  reason: WaitReason | null;
  /** In epoch ms. */
  since: number | null;
  /** Calls of about the last minute. */
  accepted: number;
}

export interface ProviderStopParts {
  database: Pick<Database, 'providerStops' | 'webhookDeliveries' | 'users'>;
  audit: AuditLog;
  readLanes: () => Promise<readonly ObservedLane[]>;
  /** The receiver that the operator set. Null: none. */
  webhookUrl: string | null;
  /** Time to keep a delivery after its last attempt. */
  keepMs: number;
}

const STOPPED: Record<StopReason, (provider: string) => string> = {
  key: (provider) =>
    `${provider} refused the key. Work waits until the key is changed or an operator resumes the lane.`,
  credit: (provider) =>
    `${provider} says that no credit or quota is left. Work waits, and a call tests every 5 minutes.`,
};

/** Reasons with which a lane takes calls. */
const GOES_ON: readonly (WaitReason | null)[] = [null, 'busy', 'slow_down'];

/**
 * Tells operators of lanes that their provider has stopped, and of those that go on: once each. The store remembers
 * stops, so that a restart neither loses nor repeats them.
 */
export async function noteProviderStops(parts: ProviderStopParts): Promise<{ stopped: number; resumed: number }> {
  const { providerStops } = parts.database;
  const lanes = new Map((await parts.readLanes()).map((state) => [state.lane, state]));
  for (const { lane, reason, since } of lanes.values())
    if (isStopReason(reason)) await providerStops.begin({ lane, reason, since: new Date(since ?? Date.now()) });
  const counts = { stopped: 0, resumed: 0 };
  for (const stop of await providerStops.list()) {
    if (!stop.notified) {
      await tell(parts, 'provider.stopped', stop);
      await providerStops.markNotified(stop.lane);
      counts.stopped += 1;
    }
    const state = lanes.get(stop.lane);
    if (state && !hasResumed(state)) continue;
    // Nothing has used the lane for a day, and no work waits for it.
    if (state) {
      await tell(parts, 'provider.resumed', stop);
      counts.resumed += 1;
    }
    await providerStops.end(stop.lane);
  }
  return counts;
}

/** Only an accepted call proves that a lane goes on, since its state may expire while it is stopped. */
function hasResumed({ reason, accepted }: ObservedLane): boolean {
  return GOES_ON.includes(reason) && accepted > 0;
}

/** Repeating this stores no second webhook. */
async function tell(
  { database, audit, webhookUrl: url, keepMs }: ProviderStopParts,
  event: 'provider.stopped' | 'provider.resumed',
  { lane, reason, since }: ProviderStopRecord,
): Promise<void> {
  const provider = providerOf(lane);
  if (url !== null) {
    const message = event === 'provider.stopped' ? STOPPED[reason](provider) : `${provider} accepts calls again.`;
    const model = lane.slice(provider.length + 1);
    const data = { object: 'provider_stop', provider, model, lane, reason, since: since.toISOString(), message };
    const at = event === 'provider.stopped' ? since : new Date();
    await noteOperatorEvent(database, { event, url, at, of: { key: lane, since }, data }, keepMs);
  }
  const fact = { action: event, target: { type: 'lane', id: lane }, details: { reason } };
  await auditForOperators({ users: database.users, audit }, NO_ACTOR, fact);
}
