import { newId, type Owner, sessionQuery } from '@chorus/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../connect-database.ts';
import { openTestDatabase } from '../test-database.ts';
import type { NewSession } from './repository.ts';

let database: Database;

beforeAll(async () => {
  const opened = await openTestDatabase();
  database = opened.database;
  return opened.close;
});

const personal = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });
const plain: NewSession = { title: null, pinned: false, starred: false, metadata: {} };

const query = (fields: Record<string, string> = {}) => sessionQuery.parse(fields);

async function titles(owner: Owner, fields: Record<string, string> = {}) {
  return (await database.sessions.list(owner, query(fields))).data.map(({ title }) => title);
}

describe('sessions', () => {
  it('are returned as they were created', async () => {
    const owner = personal();
    const made = await database.sessions.create(owner, {
      ...plain,
      title: 'A',
      metadata: { $where: 'x', 'a.b': 'c' },
      starred: true,
    });
    expect(made).toMatchObject({ message_count: 0, active_execution_id: null, locked_at: null, agent_id: null });
    expect(await database.sessions.get(owner, made.id)).toEqual(made);
  });

  it('belong to their creator, even in a workspace', async () => {
    const workspace_id = crypto.randomUUID();
    const maker: Owner = { scope: 'workspace', user_id: newId('user'), workspace_id };
    const other: Owner = { scope: 'workspace', user_id: newId('user'), workspace_id };
    const { id } = await database.sessions.create(maker, { ...plain, title: 'mine' });
    for (const stranger of [other, { ...personal(), user_id: maker.user_id }]) {
      expect(await database.sessions.get(stranger, id)).toBeNull();
      expect(await database.sessions.patch(stranger, id, { title: 'x' })).toBeNull();
      expect(await database.sessions.remove(stranger, id)).toBeNull();
      expect(await database.sessions.lock(stranger, id, newId('job'), 2)).toBeNull();
      expect(await titles(stranger)).toEqual([]);
    }
    expect(await titles(maker)).toEqual(['mine']);
  });

  it('are patched field by field', async () => {
    const owner = personal();
    const made = await database.sessions.create(owner, { ...plain, title: 'A', metadata: { a: '1' } });
    const patched = await database.sessions.patch(owner, made.id, { pinned: true, title: null });
    expect(patched).toMatchObject({ pinned: true, title: null, starred: false, metadata: { a: '1' } });
    expect(await database.sessions.patch(owner, made.id, { metadata: { $inc: '2' } })).toMatchObject({
      metadata: { $inc: '2' },
      pinned: true,
    });
  });
});

describe('the list', () => {
  it('lists pinned sessions first, then by last update, in pages', async () => {
    const owner = personal();
    const ids = new Map<string, string>();
    for (const title of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
      ids.set(title, (await database.sessions.create(owner, { ...plain, title, pinned: title === 'b' })).id);
    }
    // Updated last, in this order, since times could otherwise be equal.
    for (const title of ['a', 'd', 'e']) {
      const { updated_at: before } = (await database.sessions.get(owner, ids.get(title)!))!;
      await expect
        .poll(async () => {
          const id = ids.get(title)!;
          await database.sessions.patch(owner, id, { pinned: title !== 'a' });
          const turn = newId('job');
          await database.sessions.lock(owner, id, turn, 0);
          await database.sessions.release(owner, id, turn);
          return (await database.sessions.get(owner, id))!.updated_at > before;
        })
        .toBe(true);
    }
    const all = await titles(owner);
    expect(all.slice(0, 3).sort()).toEqual(['b', 'd', 'e']);
    expect(all[2]).toBe('b');
    expect(all[3]).toBe('a');

    for (const limit of ['1', '2', '3']) {
      const seen: (string | null)[] = [];
      let after: string | null = null;
      do {
        const page = await database.sessions.list(owner, query({ limit, ...(after === null ? {} : { after }) }));
        seen.push(...page.data.map(({ title }) => title));
        after = page.next_cursor;
      } while (after !== null);
      expect(seen).toEqual(all);
    }
  });

  it('filters by flags and by words of the title, in any case', async () => {
    const owner = personal();
    await database.sessions.create(owner, { ...plain, title: 'Über den Wolken (a+b)', starred: true });
    await database.sessions.create(owner, { ...plain, title: 'Unter Wasser', pinned: true });
    await database.sessions.create(owner, plain);
    expect(await titles(owner, { q: 'wolken über' })).toEqual(['Über den Wolken (a+b)']);
    expect(await titles(owner, { q: '(A+B)' })).toEqual(['Über den Wolken (a+b)']);
    expect(await titles(owner, { q: '.*' })).toEqual([]);
    expect(await titles(owner, { q: 'wolken wasser' })).toEqual([]);
    expect(await titles(owner, { starred: 'true' })).toEqual(['Über den Wolken (a+b)']);
    expect(await titles(owner, { pinned: 'true', q: 'w' })).toEqual(['Unter Wasser']);
    expect(await titles(owner, { pinned: 'false' })).toHaveLength(2);
  });

  it('leaves out archived sessions, except in searches or on request, until their next turn', async () => {
    const owner = personal();
    const [old, filed] = [
      await database.sessions.create(owner, { ...plain, title: 'old' }),
      await database.sessions.create(owner, { ...plain, title: 'old file' }),
    ];
    const folder_id = newId('folder');
    await database.sessions.patch(owner, filed.id, { folder_id });
    expect(await database.sessions.patch(owner, old.id, { archived: true })).toEqual({ ...old, archived: true });
    expect(await titles(owner)).toEqual(['old file']);
    expect(await titles(owner, { archived: 'true' })).toEqual(['old']);
    expect(await titles(owner, { q: 'old' })).toEqual(['old file', 'old']);
    expect(await titles(owner, { q: 'old', archived: 'false' })).toEqual(['old file']);
    expect(await titles(owner, { folder_id })).toEqual(['old file']);
    expect(await titles(personal(), { folder_id })).toEqual([]);
    for (const query of [{ archived: 'true' }, { q: 'old' }] as Record<string, string>[]) {
      const page = await database.sessions.list(owner, sessionQuery.parse({ ...query, limit: 1 }));
      const rest = page.next_cursor === null ? [] : await titles(owner, { ...query, after: page.next_cursor });
      expect([...page.data.map(({ title }) => title), ...rest]).toEqual(await titles(owner, query));
    }
    // Archiving ends a pin, and a pin restores a session.
    await database.sessions.patch(owner, filed.id, { pinned: true });
    expect(await database.sessions.patch(owner, filed.id, { archived: true, pinned: true })).toMatchObject({
      pinned: false,
    });
    expect(await database.sessions.patch(owner, filed.id, { pinned: false })).toMatchObject({ archived: true });
    expect(await titles(owner)).toEqual([]);
    expect(await database.sessions.patch(owner, filed.id, { pinned: true })).toMatchObject({
      archived: false,
      pinned: true,
    });
    expect(await database.sessions.patch(owner, filed.id, { archived: false })).toMatchObject({ pinned: true });
    await database.sessions.patch(owner, filed.id, { pinned: false });
    const turn = newId('job');
    await database.sessions.lock(owner, old.id, turn, 2);
    await database.sessions.leaveFolder(owner, folder_id);
    expect(await titles(owner)).toEqual(['old', 'old file']);
    expect(await titles(owner, { folder_id })).toEqual([]);
  });

  it('rejects cursors of other lists', async () => {
    const bad = ['x', 'null', 'e30', Buffer.from('[1,2]').toString('base64url')];
    for (const after of [...bad, Buffer.from('[1,{"$gt":0},"a"]').toString('base64url')]) {
      await expect(database.sessions.list(personal(), query({ after }))).rejects.toMatchObject({
        code: 'invalid_request',
      });
    }
  });
});

describe('the lock', () => {
  it('is taken by one of several executions; the others learn its id', async () => {
    const owner = personal();
    const { id } = await database.sessions.create(owner, plain);
    const executions = Array.from({ length: 20 }, () => newId('job'));
    const locks = await Promise.all(executions.map((execution) => database.sessions.lock(owner, id, execution, 2)));
    const winner = executions[locks.findIndex((lock) => lock !== null && 'position' in lock)];
    expect(locks.filter((lock) => lock !== null && 'position' in lock)).toEqual([{ position: 0, needsTitle: true }]);
    expect(locks.filter((lock) => lock !== null && 'locked_by' in lock)).toEqual(
      Array.from({ length: 19 }, () => ({ locked_by: winner })),
    );
    expect(await database.sessions.get(owner, id)).toMatchObject({
      active_execution_id: winner,
      message_count: 2,
      next_position: 2,
      locked_at: expect.any(Date),
    });
    expect(await database.sessions.remove(owner, id)).toBe('locked');
    await database.sessions.release(owner, id, newId('job'));
    expect(await database.sessions.lock(owner, id, newId('job'), 2)).toEqual({ locked_by: winner });
    await database.sessions.release(owner, id, winner!);
    expect(await database.sessions.get(owner, id)).toMatchObject({ active_execution_id: null, locked_at: null });
    expect(await database.sessions.lock(owner, id, newId('job'), 2)).toEqual({ position: 2, needsTitle: true });
  });

  it('gives the same answer to the same execution', async () => {
    const owner = personal();
    const { id } = await database.sessions.create(owner, plain);
    const execution = newId('job');
    expect(await database.sessions.lock(owner, id, execution, 2)).toEqual({ position: 0, needsTitle: true });
    expect(await database.sessions.lock(owner, id, execution, 2)).toEqual({ position: 0, needsTitle: true });
    await database.sessions.release(owner, id, execution, 2);
    expect(await database.sessions.get(owner, id)).toMatchObject({ message_count: 0, next_position: 2 });
    expect(await database.sessions.remove(owner, id)).toBe('deleted');
    expect(await database.sessions.remove(owner, id)).toBeNull();
  });

  it('can be set on creation, and is listed for sweeps', async () => {
    const owner = personal();
    const execution = newId('job');
    const id = newId('session');
    await database.sessions.create(owner, { ...plain, id, active_execution_id: execution, message_count: 2 });
    const held = async () =>
      (await database.sessions.listLocked({ olderThan: new Date(Date.now() + 1_000), limit: 100 })).map(
        (session) => session.id,
      );
    expect(await held()).toContain(id);
    expect(await database.sessions.listLocked({ olderThan: new Date(0), limit: 100 })).toEqual([]);
    await database.sessions.removeLocked(owner, id, newId('job'));
    expect(await database.sessions.get(owner, id)).not.toBeNull();
    await database.sessions.removeLocked(owner, id, execution);
    expect(await database.sessions.get(owner, id)).toBeNull();
    expect(await held()).not.toContain(id);
  });
});
