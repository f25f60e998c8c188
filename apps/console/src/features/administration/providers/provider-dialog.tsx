import type { Provider } from '@chorus/client';
import { Button, Group, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { Form } from '../../../components/form.tsx';
import { ErrorAlert } from '../../../components/placeholders.tsx';
import { providerLabel } from '../../../components/provider-label.ts';
import { formErrors } from '../../../data/describe-error.ts';
import { notifySuccess } from '../../../data/notify.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { PROVIDERS_KEY } from './provider-names.ts';
import { TestResult } from './test-result.tsx';

interface ProviderDialogProps {
  /** Null: closed. */
  provider: Provider | null;
  onClose: () => void;
}

export function ProviderDialog({ provider, onClose }: ProviderDialogProps) {
  return (
    <Dialog opened={provider !== null} onClose={onClose} title={provider === null ? '' : providerLabel(provider.name)}>
      {provider && <ProviderForm key={provider.name} provider={provider} onClose={onClose} />}
    </Dialog>
  );
}

/** Tests the key, and stores it if that works, or if the operator insists. */
function ProviderForm({ provider: { name, base_url }, onClose }: { provider: Provider; onClose: () => void }) {
  const { client } = useScope();
  const queryClient = useQueryClient();
  const hasAddress = name === 'compatible';
  const [key, setKey] = useState('');
  const [address, setAddress] = useState(base_url ?? '');
  const body = { ...(key !== '' && { api_key: key }), ...(hasAddress && { base_url: address }) };
  const test = useMutation({
    mutationFn: () => client.providers.test(name, body),
    onError: undefined, // shown in the form
    onSuccess: ({ ok }) => ok && save.mutate(),
  });
  const isRefused = test.data?.ok === false;
  const save = useMutation({
    mutationFn: () => client.providers.update(name, body),
    onError: undefined, // shown in the form
    onSuccess: () => {
      const label = providerLabel(name);
      notifySuccess(isRefused ? t('administration.keySaved', { label }) : t('administration.providerReady', { label }));
      queryClient.invalidateQueries({ queryKey: PROVIDERS_KEY });
      queryClient.invalidateQueries({ queryKey: ['models'] });
      onClose();
    },
  });
  const errors = formErrors(test.error ?? save.error, ['api_key', 'base_url']);
  const edit = (set: (value: string) => void) => (event: { currentTarget: { value: string } }) => {
    test.reset();
    set(event.currentTarget.value.trim());
  };
  return (
    <Form onSubmit={() => test.mutate()}>
      <Stack>
        {errors.rest && <ErrorAlert error={errors.rest} />}
        {hasAddress && (
          <TextInput
            label={t('components.address')}
            description={t('administration.addressHint')}
            error={errors.at.base_url}
            value={address}
            onChange={edit(setAddress)}
            inputMode="url"
            required
            data-autofocus
          />
        )}
        <PasswordInput
          label={t('administration.apiKey')}
          description={hasAddress ? t('administration.keyIfNeeded') : t('administration.keyHint')}
          error={errors.at.api_key}
          value={key}
          onChange={edit(setKey)}
          autoComplete="off"
          required={!hasAddress}
          data-autofocus={!hasAddress || undefined}
        />
        {test.data && isRefused && <TestResult result={test.data} />}
        <Group justify="flex-end">
          {isRefused && (
            <Button variant="subtle" color="gray" onClick={() => save.mutate()} loading={save.isPending}>
              {t('administration.saveAnyway')}
            </Button>
          )}
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button
            type="submit"
            loading={test.isPending || save.isPending}
            disabled={hasAddress ? address === '' : key === ''}
          >
            {t('administration.testAndSave')}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}
