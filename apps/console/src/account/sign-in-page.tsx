import { ChorusError } from '@chorus/client';
import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Form } from '../components/form.tsx';
import { ErrorAlert } from '../components/placeholders.tsx';
import { Dimmed } from '../components/text.tsx';
import { t } from '../i18n/i18n.ts';
import { EntryPage } from './entry-page.tsx';
import { login } from './login.ts';
import { SignInMethods } from './single-sign-on.tsx';
import { useKept } from './use-kept.ts';

export default function SignInPage() {
  return (
    <EntryPage title={t('account.signInToChorus')}>
      <SignInMethods>
        <SignInForm>
          <Dimmed size="xs" ta="center">
            {t('account.forgotPassword')}
          </Dimmed>
        </SignInForm>
      </SignInMethods>
    </EntryPage>
  );
}

interface SignInFormProps {
  onSignedIn?: () => void;
  /** Shown below the button of the first step. */
  children?: ReactNode;
}

export function SignInForm({ onSignedIn, children }: SignInFormProps) {
  const queryClient = useQueryClient();
  const [email, setEmail] = useKept('email', '');
  const [password, setPassword] = useKept('password', '');
  const [challenge, setChallenge] = useKept<string | null>('challenge', null);
  const signIn = useMutation({
    mutationFn: () => login.signIn(email, password),
    onMutate: () => queryClient.clear(), // drops data of the previous user
    onSuccess: onSignedIn,
    onError: (error) => {
      if (needsCode(error)) setChallenge(String(error.extra.challenge));
    },
  });
  if (challenge !== null)
    return <CodeForm challenge={challenge} onBack={() => setChallenge(null)} onSignedIn={onSignedIn} />;
  return (
    <Form onSubmit={() => signIn.mutate()}>
      <Stack>
        {signIn.error && !needsCode(signIn.error) && <ErrorAlert error={signIn.error} />}
        <TextInput
          label={t('account.email')}
          name="email"
          // `type="email"` would reject addresses such as admin@localhost.
          type="text"
          inputMode="email"
          autoComplete="username"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          required
          autoFocus
        />
        <PasswordInput
          label={t('account.password')}
          name="password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          required
        />
        <Button type="submit" loading={signIn.isPending} fullWidth>
          {t('account.signIn')}
        </Button>
        {children}
      </Stack>
    </Form>
  );
}

interface CodeFormProps {
  challenge: string;
  onBack: () => void;
  onSignedIn: (() => void) | undefined;
}

function CodeForm({ challenge, onBack, onSignedIn }: CodeFormProps) {
  const [code, setCode] = useKept('code', '');
  const confirm = useMutation({
    mutationFn: () => login.confirm(challenge, code),
    onSuccess: onSignedIn,
    onError: () => setCode(''),
  });
  return (
    <Form onSubmit={() => confirm.mutate()}>
      <Stack>
        <Text size="sm">{t('account.enterCode')}</Text>
        {confirm.error && <ErrorAlert error={confirm.error} />}
        <TextInput
          label={t('account.code')}
          name="code"
          autoComplete="one-time-code"
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          required
          autoFocus
        />
        <Button type="submit" loading={confirm.isPending} disabled={code.trim().length < 6} fullWidth>
          {t('account.continue')}
        </Button>
        <Button variant="subtle" onClick={onBack} fullWidth>
          {t('account.back')}
        </Button>
      </Stack>
    </Form>
  );
}

function needsCode(error: unknown): error is ChorusError {
  return error instanceof ChorusError && error.code === 'totp_required';
}
