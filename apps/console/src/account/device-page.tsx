import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { Form } from '../components/form.tsx';
import { ErrorAlert, Loading } from '../components/placeholders.tsx';
import { formatDate, t } from '../i18n/i18n.ts';
import { EntryPage } from './entry-page.tsx';
import { accountClient } from './login.ts';
import { useKept } from './use-kept.ts';

/** Lets the user approve the login of a device, such as a command line. */
export default function DevicePage({ email }: { email: string }) {
  const [search, setSearch] = useSearchParams();
  const code = search.get('code');
  return (
    <EntryPage title={t('device.title')}>
      {code === null ? (
        <CodeForm onEntered={(entered) => setSearch({ code: entered })} />
      ) : (
        <Decision key={code} code={code} email={email} onBack={() => setSearch({})} />
      )}
    </EntryPage>
  );
}

function CodeForm({ onEntered }: { onEntered: (code: string) => void }) {
  const [code, setCode] = useKept('deviceCode', '');
  return (
    <Form onSubmit={() => onEntered(code.trim())}>
      <Stack>
        <TextInput
          label={t('device.code')}
          description={t('device.codeHint')}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          autoComplete="off"
          required
          autoFocus
        />
        <Button type="submit" disabled={code.trim().length < 8} fullWidth>
          {t('device.continue')}
        </Button>
      </Stack>
    </Form>
  );
}

function Decision({ code, email, onBack }: { code: string; email: string; onBack: () => void }) {
  const device = useQuery({
    queryKey: ['device', code],
    queryFn: ({ signal }) => accountClient.request('GET /auth/device', { query: { user_code: code } }, { signal }),
    retry: false,
  });
  const decide = useMutation({
    mutationFn: (approve: boolean) =>
      accountClient.request('POST /auth/device/decision', { body: { user_code: code, approve } }),
  });
  if (decide.data) return <Alert>{t(decide.data.approved ? 'device.approved' : 'device.denied')}</Alert>;
  if (device.isPending) return <Loading />;
  if (device.error)
    return (
      <Stack>
        <ErrorAlert error={device.error} />
        <Button variant="default" onClick={onBack} fullWidth>
          {t('device.otherCode')}
        </Button>
      </Stack>
    );
  const { user_code, user_agent, address, requested_at } = device.data;
  const requested = t('device.requested', {
    time: formatDate(new Date(requested_at), { dateStyle: 'medium', timeStyle: 'short' }),
  });
  return (
    <Stack>
      <Text>{t('device.question', { email })}</Text>
      <Text ff="monospace" fz="xl" ta="center">
        {user_code}
      </Text>
      <Text size="sm" c="dimmed">
        {[user_agent, address, requested].filter(Boolean).join(' · ')}
      </Text>
      <Alert color="yellow">{t('device.warning')}</Alert>
      {decide.error && <ErrorAlert error={decide.error} />}
      <Group grow>
        <Button variant="default" onClick={() => decide.mutate(false)} disabled={decide.isPending}>
          {t('device.deny')}
        </Button>
        <Button onClick={() => decide.mutate(true)} loading={decide.isPending}>
          {t('device.approve')}
        </Button>
      </Group>
    </Stack>
  );
}
