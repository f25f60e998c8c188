import { ChorusError, mayChange, type Owner, type Role } from '@chorus/contract';

export interface Asking {
  owner: Owner;
  role: Role;
}

/**
 * Returns a record that the user may change: their own, or another member's if their role allows it.
 *
 * @throws {ChorusError} `not_found`; `role_forbidden`
 */
export async function getChangeable<T extends { owner: Owner }>(
  records: { get(owner: Owner, id: string): Promise<T | null> },
  { owner, role }: Asking,
  id: string,
  name: 'agent' | 'prompt',
): Promise<T> {
  const record = (await records.get(owner, id)) ?? unknown(name);
  if (!mayChange(role, owner, record.owner))
    throw new ChorusError('role_forbidden', `Another member created this ${name}; an admin can change it.`);
  return record;
}

export function unknown(name: 'agent' | 'prompt'): never {
  throw new ChorusError('not_found', `${name === 'agent' ? 'Agent' : 'Prompt'} not found.`);
}
