import {
  type Actor,
  type AuditLog,
  checkRecordLimit,
  newId,
  type Owner,
  type PromptCreate,
  type PromptPatch,
  scopeKey,
} from '@chorus/contract';
import type { Database, PromptRecord } from '@chorus/database';
import { type Asking, getChangeable, unknown } from './get-changeable.ts';

type PromptStore = Pick<Database, 'prompts'>;

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
  await getChangeable(prompts, asking, id, 'prompt');
  return (await prompts.patch(asking.owner, id, patch)) ?? unknown('prompt');
}

/** Throws like `changePrompt`. */
export async function removePrompt(
  { prompts, audit }: PromptStore & { audit: AuditLog },
  asking: Asking,
  actor: Actor,
  id: string,
): Promise<void> {
  await getChangeable(prompts, asking, id, 'prompt');
  if (!(await prompts.remove(asking.owner, id))) unknown('prompt');
  const target = { type: 'prompt', id };
  await audit.record(actor, { scope_key: scopeKey(asking.owner), action: 'prompt.deleted', target });
}
