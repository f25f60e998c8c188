import { Button, Center, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { Logo } from '../shell/logo.tsx';
import { Failure } from './failure.tsx';
import { accountClient, login } from './login.ts';
import classes from './sign-in-page.module.css';

/** Where an invitation leads: its token stands behind the #, which no server is told. */
export function InvitationPage() {
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const [token] = useState(() => location.hash.slice(1));
  const [password, setPassword] = useState('');
  const accept = useMutation({
    mutationFn: () => accountClient.request('POST /invitations/accept', { body: { token, password } }),
    onSuccess: async (answer) => {
      queryClient.clear();
      await login.adopt(answer);
      navigate('/', { replace: true });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    accept.mutate();
  };
  return (
    <Center component="main" className={classes.page}>
      <Paper withBorder shadow="sm" p="xl" w="100%" maw={400}>
        <form onSubmit={submit}>
          <Stack>
            <Stack align="center" gap={4}>
              <Logo />
              <Title order={1} size="h3">
                You are invited
              </Title>
              <Text size="sm" c="dimmed" ta="center">
                Have you been here before? Then enter your password. Else choose one, of at least 8 characters.
              </Text>
            </Stack>
            {accept.error && <Failure error={accept.error} />}
            <PasswordInput
              label="Password"
              name="password"
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
              required
              autoFocus
            />
            <Button type="submit" loading={accept.isPending} fullWidth>
              Come in
            </Button>
          </Stack>
        </form>
      </Paper>
    </Center>
  );
}
