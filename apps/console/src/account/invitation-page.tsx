import { Button, PasswordInput, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, useSyncExternalStore } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { Form } from '../components/form.tsx';
import { ErrorAlert } from '../components/placeholders.tsx';
import { EntryPage } from './entry-page.tsx';
import { accountClient, login, loginStore } from './login.ts';
import { SignInForm } from './sign-in-page.tsx';

/** Opened by invitation links. The token follows the #, so servers never see it. */
export default function InvitationPage() {
  const [search] = useSearchParams();
  const [token] = useState(() => location.hash.slice(1));
  const signedIn = useSyncExternalStore(loginStore.subscribe, loginStore.current);
  const isSignUpPossible = search.get('account') !== 'required';
  const [isNew, setIsNew] = useState(isSignUpPossible);
  return (
    <EntryPage title="You’re invited" hint={search.get('to') === 'platform' ? 'to Chorus' : 'to a workspace in Chorus'}>
      {signedIn !== null ? (
        <Join token={token} email={signedIn.user.email} />
      ) : (
        <>
          {isSignUpPossible && (
            <SegmentedControl
              fullWidth
              aria-label="Account"
              data={[
                { value: 'new', label: 'I’m new here' },
                { value: 'existing', label: 'I have an account' },
              ]}
              value={isNew ? 'new' : 'existing'}
              onChange={(value) => setIsNew(value === 'new')}
            />
          )}
          {isNew ? <SignUp token={token} /> : <SignInForm />}
        </>
      )}
    </EntryPage>
  );
}

function Join({ token, email }: { token: string; email: string }) {
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const join = useMutation({
    mutationFn: () => accountClient.me.acceptInvitation(token),
    onError: undefined, // shown in the form
    onSuccess: () => {
      queryClient.clear();
      navigate('/', { replace: true });
    },
  });
  return (
    <Stack>
      {join.error && <ErrorAlert error={join.error} />}
      <Text size="sm" ta="center">
        You are signed in as <b>{email}</b>.
      </Text>
      <Button onClick={() => join.mutate()} loading={join.isPending} fullWidth>
        Accept invitation
      </Button>
      <Button variant="subtle" onClick={() => login.signOut()} fullWidth>
        Use a different account
      </Button>
    </Stack>
  );
}

function SignUp({ token }: { token: string }) {
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const [password, setPassword] = useState('');
  const create = useMutation({
    mutationFn: () => login.signUp(token, password),
    onMutate: () => queryClient.clear(),
    onError: undefined, // shown in the form
    onSuccess: () => navigate('/', { replace: true }),
  });
  return (
    <Form onSubmit={() => create.mutate()}>
      <Stack>
        {create.error && <ErrorAlert error={create.error} />}
        <PasswordInput
          label="Choose a password"
          description="At least 8 characters"
          name="password"
          autoComplete="new-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          minLength={8}
          required
          autoFocus
        />
        <Button type="submit" loading={create.isPending} fullWidth>
          Create account
        </Button>
      </Stack>
    </Form>
  );
}
