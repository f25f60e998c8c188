import {
  type Actor,
  type ArchivePatch,
  type AuditLog,
  ChorusError,
  mayChange,
  type Owner,
  type Role,
  scopeKey,
} from '@chorus/contract';
import type { ArchiveRecord, Database } from '@chorus/database';
import { unknownUnit } from './unknown-unit.ts';

type ArchiveStore = Pick<Database, 'archive' | 'archiveRevisions'>;

/** Who asks, and in which scope. */
interface Asking {
  owner: Owner;
  role: Role;
}

/** What the caller believes the unit's revision to be (`If-Match`); null: it does not matter. */
type Expected = number | null;

/** Each try starts over from what somebody else has just written, and of those that try at once one succeeds. */
const TRIES = 100;

/**
 * Changes a unit; what it said stays in its history. Three round trips.
 *
 * @throws {ChorusError} `not_found`; `role_forbidden` for one that another member made, unless the role covers that; `conflict` when its revision is another
 * than `expected`
 */
export async function changeUnit(
  { archive, archiveRevisions }: ArchiveStore,
  asking: Asking,
  id: string,
  { patch, expected }: { patch: ArchivePatch; expected: Expected },
): Promise<ArchiveRecord> {
  for (let tries = 0; tries < TRIES; tries++) {
    const record = await changeable(archive, asking, id, expected);
    // What is kept is what the unit says: where a process dies now, or another is quicker, nothing is wrong.
    await archiveRevisions.keep(record);
    const change = { ...patch, revised_by: asking.owner.user_id };
    const changed = await archive.revise(asking.owner, id, record.revision, change);
    if (changed !== null) return changed;
    if ((await archive.get(asking.owner, id)) === null) {
      await archiveRevisions.removeByUnit(asking.owner, id);
      throw unknownUnit();
    }
  }
  throw new ChorusError('conflict', 'The unit is changing too quickly.', { retryAfterS: 1 });
}

/**
 * Deletes a unit with its history, and tells the audit log.
 *
 * @throws {ChorusError} as `changeUnit`
 */
export async function removeUnit(
  { archive, archiveRevisions, audit }: ArchiveStore & { audit: AuditLog },
  asking: Asking,
  actor: Actor,
  id: string,
  expected: Expected,
): Promise<void> {
  const { owner } = asking;
  const { revision, source } = await changeable(archive, asking, id, expected);
  if (!(await archive.remove(owner, id, expected))) {
    // Somebody has changed or deleted it meanwhile: the look tells which.
    await changeable(archive, asking, id, expected);
    throw unknownUnit();
  }
  await archiveRevisions.removeByUnit(owner, id);
  await audit.record(actor, {
    scope_key: scopeKey(owner),
    action: 'archive_unit.deleted',
    target: { type: 'archive.unit', id },
    details: { revision, source: source.type },
  });
}

/** The unit, if it may be changed by who asks. */
async function changeable(
  archive: Database['archive'],
  { owner, role }: Asking,
  id: string,
  expected: Expected,
): Promise<ArchiveRecord> {
  const record = await archive.get(owner, id);
  if (record === null) throw unknownUnit();
  if (!mayChange(role, owner, record.owner))
    throw new ChorusError('role_forbidden', 'Another member made this unit; an admin can change it.');
  if (expected !== null && expected !== record.revision) {
    throw new ChorusError('conflict', `The unit has changed: its revision is ${record.revision} now.`, {
      details: [{ path: 'headers.if-match', message: `must be "${record.revision}"` }],
      extra: { revision: record.revision },
    });
  }
  return record;
}
