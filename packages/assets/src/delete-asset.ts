import { type Actor, type AuditLog, ChorusError, mayChange, type Owner, type Role, scopeKey } from '@chorus/contract';
import type { Assets } from './assets.ts';

/**
 * Deletes an asset with its bytes, and writes the audit log.
 *
 * @throws {ChorusError} not_found; role_forbidden for another member's, unless the role allows it;
 * store_unavailable
 */
export async function deleteAsset(
  { assets, audit }: { assets: Pick<Assets, 'get' | 'remove'>; audit: AuditLog },
  { owner, role }: { owner: Owner; role: Role },
  actor: Actor,
  id: string,
): Promise<void> {
  const record = await assets.get(owner, id);
  if (record === null) throw unknown();
  if (!mayChange(role, owner, record.owner))
    throw new ChorusError('role_forbidden', 'Another member created this asset; an admin can delete it.');
  if (!(await assets.remove(owner, id))) throw unknown();
  const { kind, size_bytes } = record;
  const target = { type: 'asset', id };
  await audit.record(actor, {
    scope_key: scopeKey(owner),
    action: 'asset.deleted',
    target,
    details: { kind, size_bytes },
  });
}

const unknown = () => new ChorusError('not_found', 'Asset not found.');
