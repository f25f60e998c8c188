import { Button, PasswordInput, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState, useSyncExternalStore } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { EntryPage } from './entry-page.tsx';
import { Failure } from './failure.tsx';
import { accountClient, login } from './login.ts';
import { loginStore } from './login-store.ts';
import { SignInForm } from './sign-in-form.tsx';

/** Where an invitation leads. Its token is behind the #, which no server sees. */
export function InvitationPage() {
  const [search] = useSearchParams();
  const [token] = useState(() => location.hash.slice(1));
  const signedIn = useSyncExternalStore(loginStore.subscribe, loginStore.current);
  // An invitation that may not create an account says so in its address.
  const isSignUpPossible = search.get('account') !== 'required';
  const [isNew, setIsNew] = useState(isSignUpPossible);
  return (
    <EntryPage title="You’re invited" hint="to a workspace in Chorus">
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
    onSuccess: () => {
      queryClient.clear();
      navigate('/', { replace: true });
    },
  });
  return (
    <Stack>
      {join.error && <Failure error={join.error} />}
      <Text size="sm" ta="center">
        You are signed in as <b>{email}</b>.
      </Text>
      <Button onClick={() => join.mutate()} loading={join.isPending} fullWidth>
        Accept the invitation
      </Button>
      <Button variant="subtle" onClick={() => login.signOut()} fullWidth>
        Use another account
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
    onSuccess: () => navigate('/', { replace: true }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {create.error && <Failure error={create.error} />}
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
    </form>
  );
}
