import type { User } from '@chorus/contract';
import type { UserRecord } from '@chorus/database';

export function presentUser({ id, email, operator, created_at }: UserRecord): User {
  return { id, object: 'user', email, operator, created_at: created_at.toISOString() };
}
