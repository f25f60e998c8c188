import { Button, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useAccount } from '../../../account/account-gate.tsx';
import { basePath } from '../../../base-path.ts';
import { notifyDone, notifyError } from '../../../data/notify.ts';

export default function AccountPanel() {
  const { client, user } = useAccount();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useMutation({
    mutationFn: () => client.me.changePassword({ current_password: current, new_password: next }),
    onSuccess: () => {
      setCurrent('');
      setNext('');
      notifyDone('The password is changed. All other logins have ended.');
    },
    onError: notifyError,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <Stack maw={420} gap="xl">
      <div>
        <Title order={2} size="h5">
          {user.email}
        </Title>
        <Text size="sm" c="dimmed">
          {user.operator ? 'Operator of this platform' : 'User of this platform'}
        </Text>
      </div>
      <form onSubmit={submit}>
        <Stack>
          <Title order={2} size="h5">
            Password
          </Title>
          <PasswordInput
            label="The password of now"
            autoComplete="current-password"
            value={current}
            onChange={(event) => setCurrent(event.currentTarget.value)}
            required
          />
          <PasswordInput
            label="The new one"
            description="At least 8 characters"
            autoComplete="new-password"
            value={next}
            onChange={(event) => setNext(event.currentTarget.value)}
            minLength={8}
            required
          />
          <Button type="submit" loading={change.isPending} disabled={next.length < 8}>
            Change it
          </Button>
        </Stack>
      </form>
      <Text size="sm">
        All that the console does is in the HTTP API, too: <a href={`${basePath}/docs`}>its documentation</a>.
      </Text>
    </Stack>
  );
}
