import type { Provider, ProviderTest } from '@chorus/client';
import { Badge, Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Time } from '../../../components/format.tsx';
import { Dimmed } from '../../../components/text.tsx';
import { useScope } from '../../../scope/scope-context.tsx';
import { PROVIDER_NAMES, PROVIDERS_KEY } from './provider-names.ts';
import classes from './providers.module.css';
import { TestResult } from './test-result.tsx';

const STATUS: Readonly<Record<Provider['status'], { label: string; color: string } | null>> = {
  ok: { label: 'Working', color: 'teal' },
  failing: { label: 'Failing', color: 'red' },
  unknown: { label: 'Not used yet', color: 'gray' },
  off: null,
};

export function ProviderRow({ provider, onEdit }: { provider: Provider; onEdit: () => void }) {
  const { client } = useScope();
  const queryClient = useQueryClient();
  const [isRemoving, setIsRemoving] = useState(false);
  const { name, source, status, model_count } = provider;
  const { label, use } = PROVIDER_NAMES[name];
  const test = useMutation<ProviderTest>({ mutationFn: () => client.providers.test(name) });
  const remove = useMutation({
    mutationFn: () => client.providers.delete(name),
    onSettled: () => queryClient.invalidateQueries({ queryKey: PROVIDERS_KEY }),
  });
  const state = STATUS[status];
  return (
    <li className={classes.row} aria-label={label}>
      <div className={classes.words}>
        <Group gap="xs">
          <Text fw={600}>{label}</Text>
          {source !== 'none' && state && (
            <Badge variant="dot" color={state.color} tt="none">
              {state.label}
            </Badge>
          )}
        </Group>
        <Dimmed>{source === 'none' ? use : <KeySource provider={provider} />}</Dimmed>
        {model_count > 0 && (
          <Dimmed>
            {model_count} {model_count === 1 ? 'model' : 'models'}
          </Dimmed>
        )}
        {test.data && <TestResult result={test.data} />}
      </div>
      <Group gap="xs" className={classes.actions}>
        {source !== 'none' && (
          <Button size="compact-sm" variant="default" onClick={() => test.mutate()} loading={test.isPending}>
            Test
          </Button>
        )}
        {source !== 'environment' && (
          <Button size="compact-sm" variant={source === 'none' ? 'light' : 'default'} onClick={onEdit}>
            {source === 'none' ? 'Add key' : 'Replace'}
          </Button>
        )}
        {source === 'stored' && (
          <Button size="compact-sm" variant="subtle" color="red" onClick={() => setIsRemoving(true)}>
            Remove
          </Button>
        )}
      </Group>
      <ConfirmDialog
        opened={isRemoving}
        onClose={() => setIsRemoving(false)}
        title={`Remove the key of ${label}?`}
        confirmLabel="Remove"
        onConfirm={() => remove.mutate()}
      >
        Its models can no longer be used. Answers that are being written are finished.
      </ConfirmDialog>
    </li>
  );
}

function KeySource({ provider: { name, source, key_hint, base_url, updated_at } }: { provider: Provider }) {
  if (source === 'environment') {
    const variable = `${name.toUpperCase()}_${name === 'compatible' ? 'BASE_URL' : 'API_KEY'}`;
    return `Set by ${variable} in the environment, which wins over a key stored here.`;
  }
  return (
    <>
      {base_url !== null && `${base_url} · `}
      {key_hint === null ? 'No key' : `Key ending in ${key_hint}`}
      {updated_at !== null && (
        <>
          , set <Time at={updated_at} />
        </>
      )}
    </>
  );
}
