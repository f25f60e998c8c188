import type { Provider, ProviderTest } from '@chorus/client';
import { Badge, Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Time } from '../../../components/format.tsx';
import { providerLabel } from '../../../components/provider-label.ts';
import rows from '../../../components/row-list.module.css';
import { Dimmed } from '../../../components/text.tsx';
import { t } from '../../../i18n/i18n.ts';
import type { MessageKey } from '../../../i18n/messages.ts';
import { rich } from '../../../i18n/rich.tsx';
import { useScope } from '../../../scope/scope-context.tsx';
import { PROVIDERS_KEY, providerUse } from './provider-names.ts';
import { TestResult } from './test-result.tsx';

const STATUS: Readonly<Record<Provider['status'], { label: MessageKey; color: string } | null>> = {
  ok: { label: 'administration.working', color: 'teal' },
  failing: { label: 'administration.failing', color: 'red' },
  unknown: { label: 'administration.notUsedYet', color: 'gray' },
  off: null,
};

export function ProviderRow({ provider, onEdit }: { provider: Provider; onEdit: () => void }) {
  const { client } = useScope();
  const queryClient = useQueryClient();
  const [isRemoving, setIsRemoving] = useState(false);
  const { name, source, status, model_count } = provider;
  const label = providerLabel(name);
  const test = useMutation<ProviderTest>({ mutationFn: () => client.providers.test(name) });
  const remove = useMutation({
    mutationFn: () => client.providers.delete(name),
    onSettled: () => queryClient.invalidateQueries({ queryKey: PROVIDERS_KEY }),
  });
  const state = STATUS[status];
  return (
    <li className={rows.row} aria-label={label}>
      <div className={rows.words}>
        <Group gap="xs">
          <Text fw={600}>{label}</Text>
          {source !== 'none' && state && (
            <Badge variant="dot" color={state.color} tt="none">
              {t(state.label)}
            </Badge>
          )}
        </Group>
        <Dimmed>{source === 'none' ? providerUse(name) : <KeySource provider={provider} />}</Dimmed>
        {model_count > 0 && <Dimmed>{t('administration.modelCount', { count: model_count })}</Dimmed>}
        {test.data && <TestResult result={test.data} />}
      </div>
      <Group gap="xs" className={rows.actions}>
        {source !== 'none' && (
          <Button size="compact-sm" variant="default" onClick={() => test.mutate()} loading={test.isPending}>
            {t('administration.test')}
          </Button>
        )}
        {source !== 'environment' && (
          <Button size="compact-sm" variant={source === 'none' ? 'light' : 'default'} onClick={onEdit}>
            {source === 'none' ? t('administration.addKey') : t('administration.replace')}
          </Button>
        )}
        {source === 'stored' && (
          <Button size="compact-sm" variant="subtle" color="red" onClick={() => setIsRemoving(true)}>
            {t('components.remove')}
          </Button>
        )}
      </Group>
      <ConfirmDialog
        opened={isRemoving}
        onClose={() => setIsRemoving(false)}
        title={t('administration.removeTheKeyOf', { label })}
        confirmLabel={t('components.remove')}
        onConfirm={() => remove.mutate()}
      >
        {t('administration.removeKeyHint')}
      </ConfirmDialog>
    </li>
  );
}

function KeySource({ provider: { name, source, key_hint, base_url, updated_at } }: { provider: Provider }) {
  if (source === 'environment') {
    const variable = `${name.toUpperCase()}_${name === 'compatible' ? 'BASE_URL' : 'API_KEY'}`;
    return t('administration.keySetByVariable', { variable });
  }
  return (
    <>
      {base_url !== null && `${base_url} · `}
      {key_hint === null ? t('administration.noKey') : t('administration.keyEndingIn', { hint: key_hint })}
      {updated_at !== null && (
        <>
          {' · '}
          {rich('administration.setAt', { time: <Time at={updated_at} /> })}
        </>
      )}
    </>
  );
}
