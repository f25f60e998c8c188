import type { AuditEntry } from '@chorus/client';
import { ShieldCheckIcon } from '@heroicons/react/24/outline';
import { Group, Text } from '@mantine/core';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ListView } from '../../../components/list-view.tsx';
import { NotAllowed } from '../../../components/not-allowed.tsx';
import { Time } from '../../../components/time.tsx';
import { useCursorList } from '../../../data/use-cursor-list.ts';
import { useRole } from '../../../scope/use-role.ts';
import classes from './audit-panel.module.css';

/** Who did what that matters, for those who manage the scope. */
export default function AuditPanel() {
  const { isAtLeast } = useRole();
  return isAtLeast('admin') ? <Entries /> : <NotAllowed least="admin" what="see its audit log" />;
}

/** The newest first. */
function Entries() {
  const entries = useCursorList({
    name: 'audit',
    readPage: (client, query, options) => client.audit.list(query, options),
  });
  return (
    <div className={classes.place}>
      <ListView
        label="Audit log"
        list={entries}
        estimatedHeight={57}
        empty={<EmptyState title="Nothing to tell" icon={ShieldCheckIcon} />}
      >
        {(entry) => <Row entry={entry} />}
      </ListView>
    </div>
  );
}

function Row({ entry: { action, actor, target, details, created_at } }: { entry: AuditEntry }) {
  const facts = Object.entries(details).map(([name, value]) => `${name}: ${value}`);
  return (
    <div className={classes.row}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600}>
          {action}
        </Text>
        <Text size="xs" c="dimmed">
          <Time at={created_at} />
        </Text>
      </Group>
      <Text size="xs" c="dimmed" truncate>
        {[actor.user_id ?? actor.type, actor.address, target && `${target.type} ${target.id}`, ...facts]
          .filter(Boolean)
          .join(' · ')}
      </Text>
    </div>
  );
}
