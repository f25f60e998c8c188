import type { AuditEntry } from '@chorus/client';
import { ShieldCheckIcon } from '@heroicons/react/24/outline';
import { Group, Select, Text } from '@mantine/core';
import { useState } from 'react';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ListView } from '../../../components/list-view.tsx';
import { ForRole } from '../../../components/not-allowed.tsx';
import { Time } from '../../../components/time.tsx';
import { useCursorList } from '../../../data/use-cursor-list.ts';
import classes from './audit-panel.module.css';
import { actorWords, auditWords, targetWords } from './audit-words.ts';
import { usePeople } from './use-people.ts';

/** Who did what that matters, for those who manage the scope. */
export default function AuditPanel() {
  return (
    <ForRole least="admin" what="see its audit log">
      <Entries />
    </ForRole>
  );
}

/** The newest first. */
function Entries() {
  const [action, setAction] = useState<AuditEntry['action'] | null>(null);
  const filters = action === null ? {} : { action };
  const entries = useCursorList({
    name: 'audit',
    filters,
    readPage: (client, query, options) => client.audit.list({ ...query, ...filters }, options),
  });
  const nameOf = usePeople();
  return (
    <div className={classes.place}>
      <Select
        aria-label="What was done"
        placeholder="All that was done"
        data={Object.entries(auditWords).map(([value, label]) => ({ value, label }))}
        value={action}
        onChange={(value) => setAction(value as AuditEntry['action'] | null)}
        searchable
        clearable
        maw={360}
      />
      <div className={classes.rows}>
        <ListView
          label="Audit log"
          list={entries}
          estimatedHeight={57}
          empty={
            <EmptyState title="Nothing to tell" icon={ShieldCheckIcon}>
              {action !== null && 'Nothing of this kind was done.'}
            </EmptyState>
          }
        >
          {(entry) => <Row entry={entry} nameOf={nameOf} />}
        </ListView>
      </div>
    </div>
  );
}

function Row({ entry, nameOf }: { entry: AuditEntry; nameOf: (id: string) => string }) {
  return (
    <div className={classes.row}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600}>
          {auditWords[entry.action]}
        </Text>
        <Text size="xs" c="dimmed">
          <Time at={entry.created_at} />
        </Text>
      </Group>
      <Text size="xs" c="dimmed" truncate>
        {[...targetWords(entry, nameOf), actorWords(entry.actor, nameOf)].join(' · ')}
      </Text>
    </div>
  );
}
