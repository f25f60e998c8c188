import { LinkIcon } from '@heroicons/react/24/outline';
import { Stack, Title } from '@mantine/core';
import { EmptyState } from '../../../components/placeholders.tsx';
import { RoleGate } from '../../../components/role-gate.tsx';
import { ShareList } from '../../../components/share-list.tsx';
import { Dimmed } from '../../../components/text.tsx';
import { t } from '../../../i18n/i18n.ts';
import { ExportSection } from './export-section.tsx';
import { ImportSection } from './import-section.tsx';

export default function DataPanel() {
  return (
    <Stack gap="xl" maw={720}>
      <ExportSection />
      <RoleGate minRole="editor" action={t('settings.actionImport')}>
        <ImportSection />
      </RoleGate>
      <Stack gap="sm" component="section">
        <Title order={2} size="h4">
          {t('settings.sharedConversations')}
        </Title>
        <Dimmed>{t('settings.sharedHint')}</Dimmed>
        <ShareList
          empty={
            <EmptyState title={t('settings.nothingIsShared')} level={2} icon={LinkIcon}>
              {t('settings.nothingSharedHint')}
            </EmptyState>
          }
        />
      </Stack>
    </Stack>
  );
}
