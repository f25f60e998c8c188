import { ChorusError } from '@chorus/client';
import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Failure } from './failure.tsx';
import { login } from './login.ts';

interface SignInFormProps {
  onSignedIn?: () => void;
  /** Below the button of the first step. */
  children?: (email: string) => ReactNode;
}

/** Signs in with e-mail and password, and with a code where the account asks for one. */
export function SignInForm({ onSignedIn, children }: SignInFormProps) {
  const queryClient = useQueryClient();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [challenge, setChallenge] = useState<string | null>(null);
  const signIn = useMutation({
    mutationFn: () => login.signIn(email, password),
    onMutate: () => queryClient.clear(), // what someone else has looked at
    onSuccess: onSignedIn,
    onError: (error) => {
      if (isCodeMissing(error)) setChallenge(String(error.extra.challenge));
    },
  });
  if (challenge !== null)
    return <CodeForm challenge={challenge} onBack={() => setChallenge(null)} onSignedIn={onSignedIn} />;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {signIn.error && !isCodeMissing(signIn.error) && <Failure error={signIn.error} />}
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
        {children?.(email)}
      </Stack>
    </form>
  );
}

interface CodeFormProps {
  challenge: string;
  onBack: () => void;
  onSignedIn: (() => void) | undefined;
}

/** The second step. */
function CodeForm({ challenge, onBack, onSignedIn }: CodeFormProps) {
  const [code, setCode] = useState('');
  const confirm = useMutation({
    mutationFn: () => login.confirm(challenge, code),
    onSuccess: onSignedIn,
    onError: () => setCode(''),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    confirm.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">Enter the code that your authenticator app shows, or one of your recovery codes.</Text>
        {confirm.error && <Failure error={confirm.error} />}
        <TextInput
          label="Code"
          name="code"
          autoComplete="one-time-code"
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          required
          autoFocus
        />
        <Button type="submit" loading={confirm.isPending} disabled={code.trim().length < 6} fullWidth>
          Continue
        </Button>
        <Button variant="subtle" onClick={onBack} fullWidth>
          Back
        </Button>
      </Stack>
    </form>
  );
}

function isCodeMissing(error: unknown): error is ChorusError {
  return error instanceof ChorusError && error.code === 'totp_required';
}
