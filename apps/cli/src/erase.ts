import type { Accounts } from '@chorus/accounts';
import { ChorusError, isUuid } from '@chorus/contract';
import type { ErasureTarget, KnowledgeRecord } from '@chorus/database';
import { UsageError } from './command.ts';
import type { Stores } from './connected-accounts.ts';
import type { Output } from './output.ts';
import { ownCommand } from './own-command.ts';
import { addressOf } from './user.ts';
import { COMMAND, withAccounts } from './with-accounts.ts';

export const erase = ownCommand({
  usage: '<user|workspace> <email|id> --yes',
  says: 'Forgets a user or a workspace: all records, files, jobs and events.',
  details: [
    'erase user <email> --yes       sessions, messages, executions, documents, files, keys and the user; what runs is cancelled first',
    'erase workspace <id> --yes     the workspace and all that its members made there',
    '',
    'It can not be undone, and backups keep what they hold. A user who is the only owner of a workspace is refused: give it another owner, or',
    'erase it first. Agents that the user made in a workspace stay there. The platform must run.',
  ].join('\n'),
  options: { yes: { type: 'boolean' } },
  async run([what, which, ...more], surroundings, { yes }) {
    if (which === undefined || more.length > 0)
      throw new UsageError('Name what is to be erased: a user or a workspace.');
    const { output } = surroundings;
    if (yes !== true) throw new UsageError('This can not be undone: say --yes.');
    if (what === 'user') {
      const email = addressOf(which);
      return withAccounts(surroundings, (accounts, stores) => eraseUser(accounts, stores, email, output));
    }
    if (what !== 'workspace') throw new UsageError(`There is no "${what}" to erase: user or workspace.`);
    if (!isUuid(which)) throw new UsageError('A workspace is named by its id: workspace list shows them.');
    return withAccounts(surroundings, (accounts, stores) =>
      eraseWorkspace(accounts, stores, which.toLowerCase(), output),
    );
  },
});

async function eraseUser({ users }: Accounts, stores: Stores, email: string, output: Output): Promise<void> {
  const { id } = await users.findByEmail(email);
  const alone = await stores.database.erasure.ownedAlone(id);
  if (alone.length > 0) {
    const named = alone.map((one) => `${one.name} (${one.id})`).join(', ');
    throw new ChorusError(
      'conflict',
      `${email} is the only owner of ${named}: give it another owner, or erase it first.`,
    );
  }
  await users.setDisabled(COMMAND, id, true);
  await forget(stores, { user_id: id }, email, output);
}

async function eraseWorkspace({ workspaces }: Accounts, stores: Stores, id: string, output: Output): Promise<void> {
  const record = await stores.database.workspaces.get(id);
  if (record !== null) await workspaces.remove(COMMAND, id);
  await forget(stores, { workspace_id: id }, record?.name ?? id, output);
}

async function forget(
  { config, database, redis, log }: Stores,
  target: ErasureTarget,
  name: string,
  output: Output,
): Promise<void> {
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
  const dispatcher = createDispatcher({ database, redis, hub, eventLog, limits: config.queue, log });
  const blobs = createBlobs(config.blobs, log);
  const search = openSearch({ ...config.index, log });
  try {
    const assets = createAssets({ database, blobs, log });
    const keys = new KnowledgeKeys(database);
    const removeEntry = (entry: KnowledgeRecord) => removeAll({ database, search, assets, blobs, keys }, entry);
    const counts = await erase({ database, eventLog, dispatcher, assets, search, removeEntry }, target);
    const told = Object.entries(counts).filter(([, count]) => count > 0);
    const said = told.map(([kind, count]) => `${count} ${kind}`).join(', ') || 'nothing was left';
    output.done(`${name} is erased: ${said}.`, { name, erased: counts });
  } finally {
    hub.close();
    search.close();
    blobs.close();
    await dispatcher.close();
  }
}
