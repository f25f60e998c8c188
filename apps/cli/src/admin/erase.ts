import type { Accounts } from '@chorus/accounts';
import { ChorusError, isUuid, NO_ACTOR } from '@chorus/contract';
import type { ErasureTarget, KnowledgeRecord } from '@chorus/database';
import { UsageError } from '../command.ts';
import type { Stores } from './connected-accounts.ts';
import { type AdminContext, defineAdminCommand } from './define-admin-command.ts';
import { purgeDisks } from './purge-disks.ts';
import { addressOf } from './user.ts';
import { withAccounts } from './with-accounts.ts';

type Counts = Record<string, number>;

export const erase = defineAdminCommand({
  usage: '<user|workspace|deleted> [<email|id>] --yes',
  summary: 'Erases a user or a workspace: all records, files, jobs, and events.',
  details: [
    'erase user <email> --yes       the user with all sessions, messages, executions, agents, documents, files, and keys. Running work is cancelled',
    '                               first. Workspaces without another member are erased too',
    'erase workspace <id> --yes     the workspace with everything its members created there',
    'erase deleted --yes            all deleted workspaces that have no members left',
    '',
    'Then rewrites the store, the append-only file of Redis, and the search index, so that nothing is left on disk. The command waits for this.',
    'The store does not respond during this time, about one second per 100 MB. With your own MongoDB, Redis, or bucket, the command lists the remaining steps.',
    '',
    'This cannot be undone. Backups keep their data. A user who is the only owner of a workspace with other members is refused: add another',
    'owner, or erase the workspace first. An interrupted command can be repeated; if the user is already gone, erase deleted frees the disk. The',
    'platform must be running.',
  ].join('\n'),
  options: { yes: { type: 'boolean' } },
  async run([what, which, ...more], surroundings, { yes }) {
    if (what === undefined || more.length > 0 || (which === undefined) !== (what === 'deleted'))
      throw new UsageError('Specify what to erase: a user, a workspace, or deleted.');
    if (yes !== true) throw new UsageError('This cannot be undone. Add --yes to confirm.');
    switch (what) {
      case 'user': {
        const email = addressOf(which ?? '');
        return withErasure(surroundings, (accounts, stores) => eraseUser(accounts, stores, email));
      }
      case 'workspace': {
        if (which === undefined || !isUuid(which))
          throw new UsageError('Specify the id of a workspace: workspace list shows them.');
        const id = which.toLowerCase();
        return withErasure(surroundings, async (accounts, stores) => [await eraseWorkspace(accounts, stores, id)]);
      }
      case 'deleted':
        return withErasure(surroundings, eraseDeleted);
      default:
        throw new UsageError(`Cannot erase "${what}": expected user, workspace, or deleted.`);
    }
  },
});

interface Erased {
  name: string;
  erased: Counts;
}

function withErasure(
  surroundings: AdminContext,
  eraseAll: (accounts: Accounts, stores: Stores) => Promise<Erased[]>,
): Promise<number> {
  const { output } = surroundings;
  return withAccounts(surroundings, async (accounts, stores) => {
    const all = await eraseAll(accounts, stores);
    const left = await purgeDisks(surroundings, stores).catch((cause) => {
      throw new ChorusError('conflict', unfreed(cause), { cause });
    });
    for (const { name, erased } of all) {
      const counts = Object.entries(erased).filter(([, count]) => count > 0);
      const said = counts.map(([kind, count]) => `${count} ${kind}`).join(', ') || 'nothing was left';
      output.done(`Erased ${name}: ${said}.`, { name, erased });
    }
    if (all.length === 0) output.line('There is nothing to erase.');
    for (const note of left) output.note(note);
  });
}

function unfreed(cause: unknown): string {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return `All records are erased, but the disk space is not freed yet (${reason}). To free it, run: npm run admin -- erase deleted --yes`;
}

async function eraseUser({ users, workspaces }: Accounts, stores: Stores, email: string): Promise<Erased[]> {
  const { erasure } = stores.database;
  const { id } = await users.findByEmail(email);
  const alone = await erasure.findSoleOwned(id);
  if (alone.length > 0) {
    const named = alone.map((one) => `${one.name} (${one.id})`).join(', ');
    throw new ChorusError('conflict', `${email} is the only owner of ${named}: add another owner, or erase it first.`);
  }
  await users.setDisabled(NO_ACTOR, id, true);
  const erased: Erased[] = [];
  for (const workspace of await erasure.findLeftEmpty(id))
    erased.push(await eraseWorkspace({ workspaces }, stores, workspace.id, workspace.name));
  return [...erased, { name: email, erased: await forget(stores, { user_id: id }) }];
}

async function eraseWorkspace(
  { workspaces }: Pick<Accounts, 'workspaces'>,
  stores: Stores,
  id: string,
  name?: string,
): Promise<Erased> {
  const record = await stores.database.workspaces.get(id);
  if (record !== null) await workspaces.remove(NO_ACTOR, id);
  return { name: record?.name ?? name ?? id, erased: await forget(stores, { workspace_id: id }) };
}

async function eraseDeleted(accounts: Accounts, stores: Stores): Promise<Erased[]> {
  const erased: Erased[] = [];
  for (const { id, name } of await stores.database.erasure.findEmpty())
    erased.push(await eraseWorkspace(accounts, stores, id, name));
  return erased;
}

async function forget({ config, database, redis, log }: Stores, target: ErasureTarget): Promise<Counts> {
  const { connectRedis, createEventHub, createEventLog } = await import('@chorus/events');
  const { createDispatcher, erase } = await import('@chorus/queue');
  const { createAssets } = await import('@chorus/assets');
  const { createBlobs } = await import('@chorus/blobs');
  const { KnowledgeKeys, removeAll } = await import('@chorus/knowledge');
  const { openSearch } = await import('@chorus/search');
  const subscriber = connectRedis(config.redis, 'request');
  subscriber.on('error', () => undefined);
  const hub = createEventHub(redis, subscriber, log);
  const eventLog = createEventLog(redis, config.events);
  const dispatcher = createDispatcher({
    database,
    redis,
    hub,
    eventLog,
    limits: config.queue,
    shards: config.queue.shards,
    log,
  });
  const blobs = createBlobs(config.blobs, log);
  const search = openSearch({ ...config.index, log });
  try {
    const assets = createAssets({ database, blobs, log });
    const keys = new KnowledgeKeys(database);
    const removeEntry = (entry: KnowledgeRecord) => removeAll({ database, search, assets, blobs, keys }, entry);
    return await erase({ database, eventLog, dispatcher, assets, search, removeEntry }, target);
  } finally {
    hub.close();
    search.close();
    blobs.close();
    await dispatcher.close();
  }
}
