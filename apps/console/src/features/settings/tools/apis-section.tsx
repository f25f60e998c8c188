import type { ToolApi } from '@chorus/client';
import { CodeBracketIcon, ExclamationTriangleIcon } from '@heroicons/react/24/outline';
import { Alert, Button, List } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { EmptyState, QueryView } from '../../../components/placeholders.tsx';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { useRole } from '../../../scope/use-role.ts';
import { useToolApis } from '../use-tool-sources.ts';
import { ApiDialog } from './api-dialog.tsx';
import { ToolList } from './tool-list.tsx';
import { SourceCard, SourceGrid, SourceSection } from './tool-source.tsx';

export function ApisSection() {
  const { client, scopeKey } = useScope();
  const { isAtLeast } = useRole();
  const [edited, setEdited] = useState<ToolApi | 'new' | null>(null);
  const apis = useToolApis();
  return (
    <SourceSection
      title={t('settings.apis')}
      description={t('settings.apisHint')}
      addLabel={t('settings.addApi')}
      onAdd={() => setEdited('new')}
    >
      <QueryView query={apis}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState title={t('settings.noApisYet')} icon={CodeBracketIcon}>
              {isAtLeast('admin') ? t('settings.noApisHint') : t('settings.noApisViewer')}
            </EmptyState>
          ) : (
            <SourceGrid>
              {all.map((api) => (
                <SourceCard
                  key={api.id}
                  source={api}
                  address={api.base_url}
                  facts={factsOf(api)}
                  tools={<ViewOperations api={api} />}
                  onEdit={() => setEdited(api)}
                  onDelete={() => client.toolApis.delete(api.id)}
                  queryKey={[scopeKey, 'tool-apis']}
                />
              ))}
            </SourceGrid>
          )
        }
      </QueryView>
      <ApiDialog api={edited} onClose={() => setEdited(null)} onSaved={apis.refetch} />
    </SourceSection>
  );
}

function factsOf({ operations, auth }: ToolApi): string {
  const count = t('settings.operationCount', { count: operations.length });
  const credentials =
    auth.type === 'none' ? t('settings.noCredentials') : t('settings.credentialsAre', { name: auth.name ?? auth.type });
  return `${count} · ${credentials}`;
}

function ViewOperations({ api }: { api: ToolApi }) {
  const [isOpen, dialog] = useDisclosure();
  const { operations, warnings } = api;
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={dialog.open}>
        {t('settings.viewOperations')}
      </Button>
      <Dialog opened={isOpen} onClose={dialog.close} title={t('settings.operationsOf', { name: api.name })} size="lg">
        {warnings.length > 0 && (
          <Alert color="gray" icon={<ExclamationTriangleIcon />} title={t('settings.documentPartlyUsed')} mb="sm">
            <List size="sm">
              {warnings.map((warning) => (
                <List.Item key={warning}>{warning}</List.Item>
              ))}
            </List>
          </Alert>
        )}
        <ToolList tools={operations.map((one) => ({ ...one, note: `${one.method.toUpperCase()} ${one.path}` }))} />
      </Dialog>
    </>
  );
}
