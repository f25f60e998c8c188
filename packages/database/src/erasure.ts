import { personalScope, workspaceScope } from '@chorus/contract';
import type { Connection, mongo } from 'mongoose';
import type { StoredBatch } from './batch-repository.ts';
import type { StoredExecution } from './execution-model.ts';
import { knowledgeOf, type StoredKnowledge } from './knowledge-model.ts';
import type { Erasure, ErasureTarget } from './repositories.ts';
import { forgetUse } from './storage-repository.ts';
import { fromStore } from './store-errors.ts';
import { ownerOf, requireText } from './stored-fields.ts';
import type { TextKind } from './text-records.ts';
import { noteRemovalOf, type StoredTextRemoval } from './text-removals.ts';

/** Deleting what somebody made in years takes its time, in milliseconds. */
const ERASURE_DEADLINE_MS = 600_000;

/** Collections whose records carry the scope that they belong to. */
const OF_A_SCOPE = [
  'executions',
  'sessions',
  'messages',
  'message_revisions',
  'agents',
  'usage_days',
  'idempotency_keys',
  'provenance_ledger',
  'webhook_deliveries',
  'audit_log',
  'assets',
  'knowledge_entries',
  'archive_units',
  'archive_revisions',
  'batches',
  'deletions',
];

/** What in a workspace is its maker's alone, or holds the maker's own words. */
const OF_A_MAKER = [
  'agents',
  'executions',
  'sessions',
  'messages',
  'message_revisions',
  'idempotency_keys',
  'provenance_ledger',
  'webhook_deliveries',
  'assets',
  'knowledge_entries',
  'archive_units',
  'archive_revisions',
  'batches',
  'deletions',
];

/** What the full-text indexes have the words of. */
const SEARCHED = new Map<string, TextKind>([
  ['sessions', 'sessions'],
  ['messages', 'messages'],
  ['archive_units', 'archive'],
]);

type Filters = [collection: string, filter: Record<string, unknown>][];

/** Deletes all that is stored of a user or of a workspace. */
export function createErasure(connection: Connection): Erasure {
  const store = () => connection.getClient().db();

  return {
    executions: async (target, { after, limit }) => {
      const found = store()
        .collection<StoredExecution>('executions')
        .find({ $or: makersFilters(target), _id: { $gt: after ?? '' } })
        .sort({ _id: 1 })
        .limit(limit)
        .project<Pick<StoredExecution, '_id' | 'kind' | 'status' | 'scope_key' | 'user_id'>>({
          kind: 1,
          status: 1,
          scope_key: 1,
          user_id: 1,
        });
      const stored = await fromStore(found.toArray(), ERASURE_DEADLINE_MS);
      return stored.map(({ _id, kind, status, ...owner }) => ({ id: _id, kind, status, owner: ownerOf(owner) }));
    },
    assets: async (target, { after, limit }) => {
      const found = store()
        .collection<{ _id: string }>('assets')
        .find({ $or: makersFilters(target), _id: { $gt: after ?? '' } })
        .sort({ _id: 1 })
        .limit(limit)
        .project<{ _id: string }>({ _id: 1 });
      return (await fromStore(found.toArray(), ERASURE_DEADLINE_MS)).map(({ _id }) => _id);
    },
    entries: async (target, { after, limit }) => {
      const found = store()
        .collection<StoredKnowledge>('knowledge_entries')
        .find({ $or: makersFilters(target), _id: { $gt: after ?? '' } })
        .sort({ _id: 1 })
        .limit(limit);
      return (await fromStore(found.toArray(), ERASURE_DEADLINE_MS)).map((stored) => knowledgeOf(stored));
    },
    stopBatches: async (target) => {
      const running = { $or: makersFilters(target), unfinished: { $exists: true } };
      const stopped = {
        $set: { status: 'cancelled' as const, finished_at: new Date() },
        $unset: { unfinished: '' as const, untold: '' as const },
      };
      const stopping = store().collection<StoredBatch>('batches').updateMany(running, stopped);
      return (await fromStore(stopping, ERASURE_DEADLINE_MS)).modifiedCount;
    },
    ownedAlone: async (userId) => {
      const owned = await workspacesWith(store(), { owners: [requireText(userId)], deleted_at: null });
      const others = await Promise.all(owned.map(({ id }) => hasMembers(store(), id, userId)));
      return owned.filter((_, at) => others[at]);
    },
    leftEmpty: async (userId) => {
      const memberships = store()
        .collection<{ workspace_id: string }>('workspace_members')
        .find({ user_id: requireText(userId) });
      const joined = (await fromStore(memberships.toArray())).map(({ workspace_id }) => workspace_id);
      const found = await workspacesWith(store(), { $or: [{ _id: { $in: joined } }, { owners: userId }] });
      const others = await Promise.all(found.map(({ id }) => hasMembers(store(), id, userId)));
      return found.filter((_, at) => !others[at]);
    },
    empty: async () => {
      const found = await workspacesWith(store(), {});
      const members = await Promise.all(found.map(({ id }) => hasMembers(store(), id, null)));
      return found.filter((_, at) => !members[at]);
    },
    erase: async (target) => {
      const counts: Record<string, number> = {};
      const email = 'user_id' in target ? await forgetTraces(store(), target.user_id) : null;
      counts.batch_items = await removeItems(store(), target);
      const touched = await scopesOf(store(), target);
      // Who is erased goes last: a command that was cut off can then be given again.
      const invited: Filters = email === null ? [] : [['invitations', { email }]];
      for (const [name, filter] of [...invited, ...filtersOf(target)]) {
        const kind = SEARCHED.get(name);
        if (kind !== undefined) await noteWords(store(), name, kind, filter);
        const deleting = store().collection(name).deleteMany(filter);
        const { deletedCount } = await fromStore(deleting, ERASURE_DEADLINE_MS);
        counts[name] = (counts[name] ?? 0) + deletedCount;
      }
      await forgetUse(store(), touched, ERASURE_DEADLINE_MS);
      return counts;
    },
  };
}

/** The index forgets them too, when the system worker comes to it. */
function noteWords(store: mongo.Db, name: string, kind: TextKind, filter: Record<string, unknown>): Promise<void> {
  const collections = {
    records: store.collection<{ _id: string }>(name),
    removals: store.collection<StoredTextRemoval>('text_removals'),
  };
  return noteRemovalOf(collections, kind, filter, ERASURE_DEADLINE_MS);
}

/** The scopes that lose files: of a user also workspaces that they stored some in. */
async function scopesOf(store: mongo.Db, target: ErasureTarget): Promise<string[]> {
  if (!('user_id' in target)) return [scopeOf(target)];
  const theirs = { user_id: requireText(target.user_id) };
  const found = ['assets', 'knowledge_entries'].map((name) => store.collection(name).distinct('scope_key', theirs));
  const scopes = await Promise.all(found.map((scope) => fromStore(scope, ERASURE_DEADLINE_MS)));
  return [...new Set([scopeOf(target), ...scopes.flat().map(String)])];
}

function scopeOf(target: ErasureTarget): string {
  return 'user_id' in target
    ? personalScope(requireText(target.user_id))
    : workspaceScope(requireText(target.workspace_id));
}

/** What the target made: a user's own in every scope, all of a workspace. */
function makersFilters(target: ErasureTarget): Record<string, unknown>[] {
  const scope = { scope_key: scopeOf(target) };
  return 'user_id' in target ? [scope, { user_id: requireText(target.user_id) }] : [scope];
}

function filtersOf(target: ErasureTarget): Filters {
  const scope = { scope_key: scopeOf(target) };
  const records: Filters = OF_A_SCOPE.map((name) => [name, scope]);
  records.push(['webhook_secrets', { _id: scope.scope_key }]);
  if ('workspace_id' in target) {
    const workspace_id = requireText(target.workspace_id);
    const rest: Filters = ['api_keys', 'invitations', 'workspace_members'].map((name) => [name, { workspace_id }]);
    return [...records, ...rest, ['workspaces', { _id: workspace_id }]];
  }
  const user_id = requireText(target.user_id);
  return [
    ...records,
    ...OF_A_MAKER.map((name): Filters[number] => [name, { user_id }]),
    ['api_keys', { user_id }],
    ['refresh_tokens', { user_id }],
    ['totp_factors', { _id: user_id }],
    ['workspace_members', { user_id }],
    ['invitations', { invited_by: user_id }],
    ['users', { _id: user_id }],
  ];
}

/**
 * Entries of the audit log in workspaces stay, without what they say of the user: details may be names, titles and addresses. They name an id that is nobody's any
 * more. @returns the user's e-mail address; null: erased before
 */
async function forgetTraces(store: mongo.Db, userId: string): Promise<string | null> {
  const user = await fromStore(store.collection<{ _id: string; email: string }>('users').findOne({ _id: userId }));
  const email = user?.email ?? null;
  const audit = store.collection('audit_log');
  const traces = [
    { 'actor.user_id': userId },
    { 'target.id': userId },
    ...(email === null ? [] : [{ 'details.email': email }]),
  ];
  const erased = { $set: { details: { erased: true } } };
  await fromStore(audit.updateMany({ $or: traces }, erased), ERASURE_DEADLINE_MS);
  const places = audit.updateMany({ 'actor.user_id': userId }, { $set: { 'actor.address': null, request_id: null } });
  await fromStore(places, ERASURE_DEADLINE_MS);
  return email;
}

type Named = { id: string; name: string };

async function workspacesWith(store: mongo.Db, filter: mongo.Filter<{ _id: string; name: string }>): Promise<Named[]> {
  const found = store.collection<{ _id: string; name: string }>('workspaces').find(filter);
  const stored = await fromStore(
    found.project<{ _id: string; name: string }>({ name: 1 }).toArray(),
    ERASURE_DEADLINE_MS,
  );
  return stored.map(({ _id, name }) => ({ id: _id, name }));
}

/** Whether a workspace has members, apart from one. */
async function hasMembers(store: mongo.Db, workspace_id: string, apartFrom: string | null): Promise<boolean> {
  const others = { workspace_id, ...(apartFrom === null ? {} : { user_id: { $ne: apartFrom } }) };
  return (await fromStore(store.collection('workspace_members').findOne(others))) !== null;
}

/** Items are found by their batch. */
async function removeItems(store: mongo.Db, target: ErasureTarget): Promise<number> {
  const batches = store.collection<StoredBatch>('batches').find({ $or: makersFilters(target) });
  const ids = (await fromStore(batches.project({ _id: 1 }).toArray(), ERASURE_DEADLINE_MS)).map(({ _id }) => _id);
  let removed = 0;
  for (const batch_id of ids) {
    const removing = store.collection('batch_items').deleteMany({ batch_id });
    removed += (await fromStore(removing, ERASURE_DEADLINE_MS)).deletedCount;
  }
  return removed;
}
