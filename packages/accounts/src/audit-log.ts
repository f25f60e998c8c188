import { type AuditEntry, type AuditLog, type AuditQuery, newId, type Page } from '@chorus/contract';
import type { AuditRecord, AuditRepository } from '@chorus/database';
import type { Logger } from '@chorus/log';

/** The audit log as it is written and read. `keepMs`: how long an entry is kept. */
export function createAuditLog(
  repository: AuditRepository,
  { log, keepMs }: { log: Logger; keepMs: number },
): AuditLog & { list(scopeKey: string, query: AuditQuery): Promise<Page<AuditEntry>> } {
  return {
    record: async (actor, ...facts) => {
      const now = new Date();
      const entries = facts.map(({ scope_key, action, target, details = {} }): AuditRecord => {
        const { user_id, key_id, address, request_id } = actor;
        return {
          id: newId('audit'),
          scope_key,
          action,
          actor: { user_id, key_id, address },
          target,
          details,
          request_id,
          created_at: now,
          expires_at: new Date(now.getTime() + keepMs),
        };
      });
      try {
        await repository.append(entries);
      } catch (err) {
        // What was done is done: its answer must not depend on this.
        log.error({ err, audit: entries }, 'an audit entry could not be stored');
      }
    },
    list: async (scopeKey, query) => {
      const page = await repository.list(scopeKey, query);
      return { ...page, data: page.data.map(presentEntry) };
    },
  };
}

/** Earlier versions noted the title of what was deleted; it is not shown any more. */
const NAMELESS: readonly string[] = ['agent.deleted', 'knowledge.deleted'];

function presentEntry({ id, action, actor, target, details, request_id, created_at }: AuditRecord): AuditEntry {
  return {
    id,
    object: 'audit_entry',
    action,
    actor: { type: actorType(actor), ...actor },
    target,
    details: NAMELESS.includes(action) ? {} : details,
    request_id,
    created_at: created_at.toISOString(),
  };
}

function actorType({ user_id, key_id, address }: AuditRecord['actor']): AuditEntry['actor']['type'] {
  if (key_id !== null) return 'api_key';
  if (user_id !== null) return 'user';
  return address === null ? 'command' : 'nobody';
}
