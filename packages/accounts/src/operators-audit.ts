import { type Actor, type AuditFact, type AuditLog, personalScope } from '@chorus/contract';
import type { Database } from '@chorus/database';

const PAGE = 100;

/** Records a platform-wide event in the personal audit log of every operator. */
export async function auditForOperators(
  { users, audit }: { users: Pick<Database['users'], 'list'>; audit: AuditLog },
  actor: Actor,
  fact: Omit<AuditFact, 'scope_key'>,
): Promise<void> {
  for (let after: string | undefined; ; ) {
    const page = await users.list({ limit: PAGE, after });
    const operators = page.data.filter(({ operator }) => operator);
    if (operators.length > 0)
      await audit.record(actor, ...operators.map(({ id }) => ({ ...fact, scope_key: personalScope(id) })));
    if (page.next_cursor === null) return;
    after = page.next_cursor;
  }
}
