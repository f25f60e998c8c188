import {
  type Actor,
  type ArchivePatch,
  type AuditLog,
  ChorusError,
  type ExpectedRevisions,
  isExpected,
  mayChange,
  type Owner,
  type Role,
  scopeKey,
} from '@chorus/contract';
import type { ArchiveRecord, Database } from '@chorus/database';

type ArchiveStore = Pick<Database, 'archive' | 'archiveRevisions'>;

interface Asking {
  owner: Owner;
  role: Role;
}

/** Each try starts from the latest revision, and one of several concurrent tries succeeds. */
const TRIES = 100;

/**
 * Changes a unit and keeps its previous revision. Three round trips.
 *
 * @throws {ChorusError} `not_found`; `role_forbidden` for another member's unit, unless the role allows it;
 * `conflict` if its revision is not `expected`
 */
export async function changeUnit(
  { archive, archiveRevisions }: ArchiveStore,
  asking: Asking,
  id: string,
  { patch, expected }: { patch: ArchivePatch; expected: ExpectedRevisions },
): Promise<ArchiveRecord> {
  for (let tries = 0; tries < TRIES; tries++) {
    const record = await changeable(archive, asking, id, expected);
    // Harmless if the change below fails, since this row equals the unit itself.
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
 * Deletes a unit with its history, and records that in the audit log.
 *
 * @throws {ChorusError} as `changeUnit`
 */
export async function removeUnit(
  { archive, archiveRevisions, audit }: ArchiveStore & { audit: AuditLog },
  asking: Asking,
  actor: Actor,
  id: string,
  expected: ExpectedRevisions,
): Promise<void> {
  const { owner } = asking;
  const { revision, source } = await changeable(archive, asking, id, expected);
  if (!(await archive.remove(owner, id, expected === null ? null : revision))) {
    // The unit was changed or deleted meanwhile. This throws the right error.
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

/** Returns the unit if the caller may change it. */
async function changeable(
  archive: Database['archive'],
  { owner, role }: Asking,
  id: string,
  expected: ExpectedRevisions,
): Promise<ArchiveRecord> {
  const record = await archive.get(owner, id);
  if (record === null) throw unknownUnit();
  if (!mayChange(role, owner, record.owner))
    throw new ChorusError('role_forbidden', 'Another member created this unit; an admin can change it.');
  if (!isExpected(expected, record.revision)) {
    throw new ChorusError('conflict', `The unit has changed. Its current revision is ${record.revision}.`, {
      details: [{ path: 'headers.if-match', message: `must be "${record.revision}"` }],
      extra: { revision: record.revision },
    });
  }
  return record;
}

export function unknownUnit(): ChorusError {
  return new ChorusError('not_found', 'Unit not found.');
}
