import type { Provider } from '@chorus/client';
import { Alert, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { QueryView } from '../../../components/placeholders.tsx';
import rows from '../../../components/row-list.module.css';
import { Dimmed } from '../../../components/text.tsx';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { ProviderDialog } from './provider-dialog.tsx';
import { PROVIDERS_KEY } from './provider-names.ts';
import { ProviderRow } from './provider-row.tsx';

/** Workers report what they can use every few seconds. */
const LOOK_EVERY_MS = 5_000;

export default function ProvidersPanel() {
  const { client } = useScope();
  const [editing, setEditing] = useState<Provider | null>(null);
  const providers = useQuery({
    queryKey: PROVIDERS_KEY,
    queryFn: async ({ signal }) => (await client.providers.list({ signal })).data,
    refetchInterval: LOOK_EVERY_MS,
  });
  return (
    <Stack>
      <Dimmed maw={720}>{t('administration.providersHint')}</Dimmed>
      <QueryView query={providers}>
        {(all) => (
          <>
            {all.every(({ source }) => source === 'none') && (
              <Alert color="yellow" title={t('administration.noKeys')}>
                {t('administration.noKeysHint')}
              </Alert>
            )}
            <ul className={rows.list} aria-label={t('administration.providers')}>
              {all.map((provider) => (
                <ProviderRow key={provider.name} provider={provider} onEdit={() => setEditing(provider)} />
              ))}
            </ul>
          </>
        )}
      </QueryView>
      <ProviderDialog provider={editing} onClose={() => setEditing(null)} />
    </Stack>
  );
}
