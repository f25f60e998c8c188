import type { Provider } from '@chorus/client';
import { Alert, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { QueryView } from '../../../components/placeholders.tsx';
import { Dimmed } from '../../../components/text.tsx';
import { useScope } from '../../../scope/scope-context.tsx';
import { ProviderDialog } from './provider-dialog.tsx';
import { PROVIDERS_KEY } from './provider-names.ts';
import { ProviderRow } from './provider-row.tsx';
import classes from './providers.module.css';

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
      <Dimmed maw={720}>
        Models run at these providers. Keys are stored encrypted, used by every process within a second, and never shown
        again.
      </Dimmed>
      <QueryView query={providers}>
        {(all) => (
          <>
            {all.every(({ source }) => source === 'none') && (
              <Alert color="yellow" title="No provider has a key yet">
                Until you add one, the built-in assistant answers. It is not a language model.
              </Alert>
            )}
            <ul className={classes.list} aria-label="Providers">
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
