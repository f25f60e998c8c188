import {
  type Actor,
  type AuditLog,
  ChorusError,
  checkRecordLimit,
  mayChange,
  newId,
  type Owner,
  type PromptCreate,
  type PromptPatch,
  type Role,
  scopeKey,
} from '@chorus/contract';
import type { Database, PromptRecord } from '@chorus/database';

type PromptStore = Pick<Database, 'prompts'>;

interface Asking {
  owner: Owner;
  role: Role;
}

/** @throws {ChorusError} `limit_reached` */
export async function createPrompt(
  { prompts }: PromptStore,
  owner: Owner,
  wanted: PromptCreate,
): Promise<PromptRecord> {
  await checkRecordLimit('prompts', (most) => prompts.count(owner, most));
  const now = new Date();
  const record: PromptRecord = { id: newId('prompt'), owner, ...wanted, created_at: now, updated_at: now };
  await prompts.insert(record);
  return record;
}

/** @throws {ChorusError} `not_found`; `role_forbidden` for another member's prompt, depending on the role */
export async function changePrompt(
  { prompts }: PromptStore,
  asking: Asking,
  id: string,
  patch: PromptPatch,
): Promise<PromptRecord> {
  await checkMaker(prompts, asking, id);
  return (await prompts.patch(asking.owner, id, patch)) ?? unknown();
}

/** Throws like `changePrompt`. */
export async function removePrompt(
  { prompts, audit }: PromptStore & { audit: AuditLog },
  asking: Asking,
  actor: Actor,
  id: string,
): Promise<void> {
  await checkMaker(prompts, asking, id);
  if (!(await prompts.remove(asking.owner, id))) unknown();
  const target = { type: 'prompt', id };
  await audit.record(actor, { scope_key: scopeKey(asking.owner), action: 'prompt.deleted', target });
}

async function checkMaker(prompts: Database['prompts'], { owner, role }: Asking, id: string): Promise<void> {
  const record = (await prompts.get(owner, id)) ?? unknown();
  if (!mayChange(role, owner, record.owner))
    throw new ChorusError('role_forbidden', 'Another member created this prompt; an admin can change it.');
}

function unknown(): never {
  throw new ChorusError('not_found', 'There is no such prompt.');
}
