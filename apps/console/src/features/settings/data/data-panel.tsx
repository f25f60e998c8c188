import { LinkIcon } from '@heroicons/react/24/outline';
import { Stack, Title } from '@mantine/core';
import { EmptyState } from '../../../components/placeholders.tsx';
import { RoleGate } from '../../../components/role-gate.tsx';
import { ShareList } from '../../../components/share-list.tsx';
import { Dimmed } from '../../../components/text.tsx';
import { ExportSection } from './export-section.tsx';
import { ImportSection } from './import-section.tsx';

export default function DataPanel() {
  return (
    <Stack gap="xl" maw={720}>
      <ExportSection />
      <RoleGate minRole="editor" action="import conversations">
        <ImportSection />
      </RoleGate>
      <Stack gap="sm" component="section">
        <Title order={2} size="h4">
          Shared conversations
        </Title>
        <Dimmed>Anyone with one of these links can read its conversation. A revoked link stops working at once.</Dimmed>
        <ShareList
          empty={
            <EmptyState title="Nothing is shared" level={2} icon={LinkIcon}>
              Share a conversation with its menu.
            </EmptyState>
          }
        />
      </Stack>
    </Stack>
  );
}
