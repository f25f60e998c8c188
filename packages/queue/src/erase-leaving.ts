import type { Database } from '@chorus/database';
import type { Logger } from '@chorus/runtime/log';
import { type ErasureParts, erase } from './erase.ts';

const PAGE = 20;

export interface LeavingParts extends Omit<ErasureParts, 'database'> {
  database: ErasureParts['database'] & Pick<Database, 'users'>;
  log: Logger;
}

/**
 * Erases users who have deleted their accounts, with the workspaces in which they are alone. Postpones users whose
 * work still runs, or who are the only owner of a workspace with other members. Safe to interrupt.
 *
 * @returns the number of erased users
 * @throws {ChorusError} store_unavailable
 */
export async function eraseLeaving(parts: LeavingParts): Promise<number> {
  let erased = 0;
  // Users who cannot be erased yet must not hold up the others.
  for (let after = new Date(0); ; ) {
    const page = await parts.database.users.listLeaving({ after, limit: PAGE });
    for (const { id } of page) if (await eraseUser(parts, id)) erased += 1;
    if (page.length < PAGE) return erased;
    after = page.at(-1)?.leaving_at ?? after;
  }
}

/** Returns whether the user was erased. */
async function eraseUser(parts: LeavingParts, id: string): Promise<boolean> {
  const { erasure, workspaces } = parts.database;
  const { log } = parts;
  const alone = await erasure.findSoleOwned(id);
  if (alone.length > 0) {
    const ids = alone.map((workspace) => workspace.id);
    log.warn({ user_id: id, workspace_ids: ids }, 'not erased: the only owner of workspaces with other members');
    return false;
  }
  try {
    for (const workspace of await erasure.findLeftEmpty(id)) {
      await workspaces.remove(workspace.id);
      await erase(parts, { workspace_id: workspace.id });
    }
    await erase(parts, { user_id: id });
    return true;
  } catch (err) {
    log.warn({ err, user_id: id }, 'not erased yet; the next round tries again');
    return false;
  }
}
