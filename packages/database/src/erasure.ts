import { type Owner, personalScope, workspaceScope } from '@chorus/contract';
import type { Db, Filter } from 'mongodb';
import { userCollection } from './accounts/users.ts';
import { archiveCollection } from './archive/schema.ts';
import { assetCollection } from './assets/repository.ts';
import { auditCollection } from './audit/repository.ts';
import { batchPartCollection } from './batch-parts/repository.ts';
import { batchCollection, batchItemCollection } from './batches/schema.ts';
import { type CollectionSpec, fromStored, requireString, storedOwner } from './collection.ts';
import { COLLECTIONS } from './collections.ts';
import { executionCollection, type StoredExecution } from './executions/schema.ts';
import { knowledgeCollection, knowledgeOf } from './knowledge/schema.ts';
import { messageCollection } from './messages/schema.ts';
import { readAll, readIds } from './reading.ts';
import { sessionCollection } from './sessions/schema.ts';
import { storageCollection } from './storage/repository.ts';
import { fromStore } from './store-errors.ts';
import type { TextKind } from './texts/marks.ts';
import { noteRemovalOf } from './texts/removals.ts';
import { createUsageSums } from './usage/sums.ts';
import { membershipCollection, workspaceCollection } from './workspaces/repository.ts';

/** The user or workspace to erase. */
export type ErasureTarget = { readonly user_id: string } | { readonly workspace_id: string };

interface PageById {
  after?: string | undefined;
  limit: number;
}

interface NamedWorkspace {
  id: string;
  name: string;
}

const ERASURE_DEADLINE_MS = 600_000;

/** Collections with a full-text index. */
const INDEXED_TEXTS = new Map<string, TextKind>([
  [sessionCollection.name, 'sessions'],
  [messageCollection.name, 'messages'],
  [archiveCollection.name, 'archive'],
]);

/** Deletes everything stored for a user or workspace. */
export function createErasure(db: Db) {
  const usageSums = createUsageSums(db);
  const pageOf = <Document extends { _id: string }>(
    collection: CollectionSpec<Document>,
    target: ErasureTarget,
    { after, limit }: PageById,
  ) => {
    const filter = { $or: targetFilters(target), _id: { $gt: after ?? '' } } as unknown as Filter<Document>;
    return collection.in(db).find(filter).sort({ _id: 1 }).limit(limit);
  };

  const workspacesWith = (filter: Filter<{ _id: string; owners: string[]; deleted_at: Date | null }>) =>
    readAll(
      workspaceCollection.in(db).find(filter).project<{ _id: string; name: string }>({ name: 1 }),
      ({ _id, name }): NamedWorkspace => ({ id: _id, name }),
      ERASURE_DEADLINE_MS,
    );

  /** Filters workspaces by whether they have members other than a user. */
  const withMembers = async (found: NamedWorkspace[], has: boolean, exceptUser: string | null) => {
    const others = exceptUser === null ? {} : { user_id: { $ne: exceptUser } };
    const members = found.map(({ id }) =>
      fromStore(membershipCollection.in(db).findOne({ workspace_id: id, ...others })),
    );
    const any = await Promise.all(members);
    return found.filter((_, at) => (any[at] !== null) === has);
  };

  return {
    /** Executions of the target, by id: a user's in all scopes, all of a workspace. */
    executions: async (target: ErasureTarget, page: PageById) => {
      const found = pageOf(executionCollection, target, page).project<
        Pick<StoredExecution, '_id' | 'kind' | 'status' | 'scope_key' | 'user_id'>
      >({ kind: 1, status: 1, scope_key: 1, user_id: 1 });
      return readAll(found, fromStored, ERASURE_DEADLINE_MS);
    },
    /** Ids of the target's assets. Delete their bytes before the records. */
    assets: async (target: ErasureTarget, page: PageById) =>
      readIds(pageOf(assetCollection, target, page), ERASURE_DEADLINE_MS),
    /** The target's knowledge entries, by id. Delete their chunks, vectors and files before the records. */
    entries: async (target: ErasureTarget, page: PageById) =>
      readAll(pageOf(knowledgeCollection, target, page), knowledgeOf, ERASURE_DEADLINE_MS),
    /** Cancels unfinished batches and returns how many. Feeders notice within a second or two. */
    stopBatches: async (target: ErasureTarget) => {
      const files = { $or: targetFilters(target), files_due: { $exists: true } };
      await fromStore(batchCollection.in(db).updateMany(files, { $unset: { files_due: '' } }), ERASURE_DEADLINE_MS);
      const running = { $or: targetFilters(target), unfinished: { $exists: true } };
      const stopping = batchCollection.in(db).updateMany(running, {
        $set: { status: 'cancelled', finished_at: new Date() },
        $unset: { unfinished: '', untold: '' },
      });
      return (await fromStore(stopping, ERASURE_DEADLINE_MS)).modifiedCount;
    },
    /**
     * Removes a user from the owners of all workspaces with another owner, each in one atomic step: if two owners leave
     * at once, one stays.
     */
    giveUpOwnerships: async (userId: string) => {
      const notTheLast = { owners: requireString(userId), 'owners.1': { $exists: true } };
      await fromStore(workspaceCollection.in(db).updateMany(notTheLast, { $pull: { owners: userId } }));
    },
    /** Returns workspaces with other members and this user as the only owner. */
    findSoleOwned: async (userId: string) => {
      const owned = await workspacesWith({ owners: [requireString(userId)], deleted_at: null });
      return withMembers(owned, true, userId);
    },
    /** Returns workspaces without other members, and deleted ones of the user, which would become unreachable. */
    findLeftEmpty: async (userId: string) => {
      const memberships = membershipCollection.in(db).find({ user_id: requireString(userId) });
      const joined = await readAll(memberships, ({ workspace_id }) => workspace_id);
      const found = await workspacesWith({ $or: [{ _id: { $in: joined } }, { owners: userId }] });
      return withMembers(found, false, userId);
    },
    /** Returns workspaces without members: those that were deleted. */
    findEmpty: async () => withMembers(await workspacesWith({}), false, null),
    /** Deletes all records, the target last. Returns how many by collection. Can be repeated. */
    erase: async (target: ErasureTarget) => {
      await usageSums.collect(); // so that no step is left that would add them later
      const counts: Record<string, number> = {};
      const email = 'user_id' in target ? await redactAuditLog(db, target.user_id) : null;
      if ('user_id' in target) {
        const owned = { owners: requireString(target.user_id) };
        const disown = { $pull: { owners: target.user_id } };
        await fromStore(workspaceCollection.in(db).updateMany(owned, disown), ERASURE_DEADLINE_MS);
      }
      counts.batch_parts = await removeParts(db, target);
      counts.batch_items = await removeItems(db, target);
      const scopes = await scopesWithFiles(db, target);
      const invited: Filters = email === null ? [] : [['invitations', { email }]];
      for (const [name, filter] of [...invited, ...filtersOf(target)]) {
        const kind = INDEXED_TEXTS.get(name);
        const collection = COLLECTIONS.find((spec) => spec.name === name);
        if (collection === undefined) throw new TypeError(`unknown collection ${name}`);
        if (kind !== undefined) await noteRemovalOf(db, collection, kind, filter, ERASURE_DEADLINE_MS);
        const { deletedCount } = await fromStore(collection.in(db).deleteMany(filter), ERASURE_DEADLINE_MS);
        counts[name] = (counts[name] ?? 0) + deletedCount;
      }
      // The next use recounts them.
      await fromStore(storageCollection.in(db).deleteMany({ _id: { $in: scopes } }), ERASURE_DEADLINE_MS);
      return counts;
    },
  };
}

/** Returns the scopes that lose files, including workspaces in which a user has stored some. */
async function scopesWithFiles(db: Db, target: ErasureTarget): Promise<string[]> {
  if (!('user_id' in target)) return [scopeOf(target)];
  const { user_id } = target;
  const found = [assetCollection.in(db), knowledgeCollection.in(db)].map((collection) =>
    fromStore(collection.distinct('scope_key', { user_id: requireString(user_id) }), ERASURE_DEADLINE_MS),
  );
  return [...new Set([scopeOf(target), ...(await Promise.all(found)).flat()])];
}

function scopeOf(target: ErasureTarget): string {
  return 'user_id' in target
    ? personalScope(requireString(target.user_id))
    : workspaceScope(requireString(target.workspace_id));
}

/** Matches a user's records in all scopes, or all records of a workspace. */
function targetFilters(target: ErasureTarget): ({ scope_key: string } | { user_id: string })[] {
  const scope = { scope_key: scopeOf(target) };
  return 'user_id' in target ? [scope, { user_id: requireString(target.user_id) }] : [scope];
}

type Filters = [collection: string, filter: Record<string, unknown>][];

function filtersOf(target: ErasureTarget): Filters {
  const scope = { scope_key: scopeOf(target) };
  const records = COLLECTIONS.filter(({ erasedWith }) => erasedWith !== null).map(({ name }): Filters[number] => [
    name,
    scope,
  ]);
  records.push(['webhook_secrets', { _id: scope.scope_key }]);
  if ('workspace_id' in target) {
    const workspace_id = requireString(target.workspace_id);
    const rest: Filters = ['api_keys', 'invitations', 'workspace_members'].map((name) => [name, { workspace_id }]);
    return [...records, ...rest, ['workspaces', { _id: workspace_id }]];
  }
  const user_id = requireString(target.user_id);
  const ofMaker = COLLECTIONS.filter(({ erasedWith }) => erasedWith === 'maker');
  return [
    ...records,
    ...ofMaker.map(({ name }): Filters[number] => [name, { user_id }]),
    ['api_keys', { user_id }],
    ['refresh_tokens', { user_id }],
    ['identities', { user_id }],
    ['totp_factors', { _id: user_id }],
    ['workspace_members', { user_id }],
    ['invitations', { invited_by: user_id }],
    ['users', { _id: user_id }],
  ];
}

/**
 * Removes personal data from audit entries of workspaces. The entries stay, with the user's id.
 *
 * @returns The user's email address. Null: the user was already erased.
 */
async function redactAuditLog(db: Db, userId: string): Promise<string | null> {
  const user = await fromStore(userCollection.in(db).findOne({ _id: userId }));
  const email = user?.email ?? null;
  const entries = auditCollection.in(db);
  const about = [
    { 'actor.user_id': userId },
    { 'target.id': userId },
    ...(email === null ? [] : [{ 'details.email': email }]),
  ];
  const redacted = { $set: { details: { erased: true } } };
  await fromStore(entries.updateMany({ $or: about }, redacted), ERASURE_DEADLINE_MS);
  const origin = { $set: { 'actor.address': null, request_id: null } };
  await fromStore(entries.updateMany({ 'actor.user_id': userId }, origin), ERASURE_DEADLINE_MS);
  return email;
}

/**
 * Deletes the parts of the target's batches. Parts that a provider may have are kept without their owner, and are taken
 * from the process that works on them. A worker then deletes them at the provider, and here.
 */
async function removeParts(db: Db, target: ErasureTarget): Promise<number> {
  const parts = batchPartCollection.in(db);
  const ofTarget = { $or: targetFilters(target) };
  const change = {
    $set: { erased: true, stop: 'cancelled', due_at: new Date(), tries: 0, ...storedOwner(NOBODY) },
    $unset: { holder: '', held_until: '' },
  } as const;
  const sent = { ...ofTarget, submitted_at: { $ne: null }, deleted: { $ne: true } };
  const kept = await fromStore(parts.updateMany(sent, change), ERASURE_DEADLINE_MS);
  const removed = await fromStore(parts.deleteMany(ofTarget), ERASURE_DEADLINE_MS);
  return kept.modifiedCount + removed.deletedCount;
}

const NOBODY: Owner = { scope: 'personal', user_id: 'erased', workspace_id: null };

/** Deletes the items of the target's batches. */
async function removeItems(db: Db, target: ErasureTarget): Promise<number> {
  let removed = 0;
  const batches = batchCollection.in(db).find({ $or: targetFilters(target) });
  for (const batch_id of await readIds(batches, ERASURE_DEADLINE_MS)) {
    const removing = batchItemCollection.in(db).deleteMany({ batch_id });
    removed += (await fromStore(removing, ERASURE_DEADLINE_MS)).deletedCount;
  }
  return removed;
}
