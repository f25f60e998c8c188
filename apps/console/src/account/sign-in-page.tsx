import { Button, Center, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Logo } from '../shell/logo.tsx';
import { Failure } from './failure.tsx';
import { login } from './login.ts';
import classes from './sign-in-page.module.css';

export function SignInPage() {
  const queryClient = useQueryClient();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useMutation({
    mutationFn: () => login.login(email, password),
    onMutate: () => queryClient.clear(), // what somebody else has looked at
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate();
  };
  return (
    <Center component="main" className={classes.page}>
      <Paper withBorder shadow="sm" p="xl" w="100%" maw={400}>
        <form onSubmit={submit}>
          <Stack>
            <Stack align="center" gap={4}>
              <Logo />
              <Title order={1} size="h3">
                Sign in to Chorus
              </Title>
            </Stack>
            {signIn.error && <Failure error={signIn.error} />}
            <TextInput
              label="E-mail"
              name="email"
              // A bare host name is good here, as in admin@localhost.
              type="text"
              inputMode="email"
              autoComplete="username"
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
              required
              autoFocus
            />
            <PasswordInput
              label="Password"
              name="password"
              autoComplete="current-password"
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
              required
            />
            <Button type="submit" loading={signIn.isPending} fullWidth>
              Sign in
            </Button>
            <Text size="xs" c="dimmed" ta="center">
              The first password was printed when the platform was started for the first time. Forgotten? Whoever runs
              it can set another one: <code>npx chorus user passwd {email || 'you@example.org'}</code>
            </Text>
          </Stack>
        </form>
      </Paper>
    </Center>
  );
}
