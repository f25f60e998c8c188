import type { AuditEntry } from '@chorus/client';
import { ShieldCheckIcon } from '@heroicons/react/24/outline';
import { Group, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccount } from '../../../account/account-gate.tsx';
import { Time } from '../../../components/format.tsx';
import { ListView } from '../../../components/list-view.tsx';
import { EmptyState } from '../../../components/placeholders.tsx';
import { RoleGate } from '../../../components/role-gate.tsx';
import { Dimmed } from '../../../components/text.tsx';
import { useCursorList } from '../../../data/use-cursor-list.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { actionLabels, describeActor, describeTarget } from './action-labels.ts';
import classes from './audit-panel.module.css';

export default function AuditPanel() {
  return (
    <RoleGate minRole="admin" action={t('settings.actionSeeAuditLog')}>
      <Entries />
    </RoleGate>
  );
}

function Entries() {
  const [action, setAction] = useState<AuditEntry['action'] | null>(null);
  const filters = action === null ? {} : { action };
  const entries = useCursorList({
    name: 'audit',
    filters,
    fetchPage: (client, query, options) => client.audit.list({ ...query, ...filters }, options),
  });
  const nameOf = useMemberNames();
  return (
    <div className={classes.place}>
      <Select
        aria-label={t('settings.action')}
        placeholder={t('settings.allActions')}
        data={Object.entries(actionLabels).map(([value, label]) => ({ value, label: t(label) }))}
        value={action}
        onChange={(value) => setAction(value as AuditEntry['action'] | null)}
        searchable
        clearable
        maw={360}
      />
      <div className={classes.rows}>
        <ListView
          isFocusable
          label={t('settings.auditLog')}
          list={entries}
          estimatedHeight={57}
          empty={
            <EmptyState title={t('settings.noEntries')} icon={ShieldCheckIcon}>
              {action !== null && t('settings.noEntriesHint')}
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
          {t(actionLabels[entry.action])}
        </Text>
        <Dimmed size="xs">
          <Time at={entry.created_at} />
        </Dimmed>
      </Group>
      <Dimmed size="xs" truncate>
        {[...describeTarget(entry, nameOf), describeActor(entry.actor, nameOf)].join(' · ')}
      </Dimmed>
    </div>
  );
}

/** Returns a function that maps user ids to emails. Former members keep their id. */
function useMemberNames(): (id: string) => string {
  const { client, scope, scopeKey } = useScope();
  const { user } = useAccount();
  const workspaceId = scope.type === 'workspace' ? scope.workspaceId : null;
  const { data = [] } = useQuery({
    queryKey: [scopeKey, 'members'],
    queryFn: ({ signal }) => Array.fromAsync(client.workspaces.members(String(workspaceId), { signal })),
    enabled: workspaceId !== null,
  });
  return (id) => (id === user.id ? user.email : (data.find((member) => member.id === id)?.email ?? id));
}
