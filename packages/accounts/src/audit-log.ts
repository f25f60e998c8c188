import { type AuditEntry, type AuditLog, type AuditQuery, newId, type Page } from '@chorus/contract';
import type { AuditRecord, AuditRepository } from '@chorus/database';
import type { Logger } from '@chorus/runtime/log';

/** Reads and writes the audit log. Entries expire after `keepMs`. */
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
        // The action itself has succeeded, so its response must not depend on the audit log.
        log.error({ err, audit: entries }, 'could not store audit entries');
      }
    },
    list: async (scopeKey, query) => {
      const page = await repository.list(scopeKey, query);
      return { ...page, data: page.data.map(presentEntry) };
    },
  };
}

/** Earlier versions stored titles of deleted records; they are no longer shown. */
const HIDE_TITLE: readonly string[] = ['agent.deleted', 'knowledge.deleted'];

function presentEntry({ id, action, actor, target, details, request_id, created_at }: AuditRecord): AuditEntry {
  return {
    id,
    object: 'audit_entry',
    action,
    actor: { type: actorType(actor), ...actor },
    target,
    details: HIDE_TITLE.includes(action) ? {} : details,
    request_id,
    created_at: created_at.toISOString(),
  };
}

function actorType({ user_id, key_id, address }: AuditRecord['actor']): AuditEntry['actor']['type'] {
  if (key_id !== null) return 'api_key';
  if (user_id !== null) return 'user';
  return address === null ? 'command' : 'nobody';
}
