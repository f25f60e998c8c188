import { Button, PasswordInput, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, useSyncExternalStore } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { Form } from '../components/form.tsx';
import { ErrorAlert } from '../components/placeholders.tsx';
import { t } from '../i18n/i18n.ts';
import { rich } from '../i18n/rich.tsx';
import { EntryPage } from './entry-page.tsx';
import { accountClient, login, loginStore } from './login.ts';
import { SignInForm } from './sign-in-page.tsx';
import { useKept } from './use-kept.ts';

/** Opened by invitation links. The token follows the #, so servers never see it. */
export default function InvitationPage() {
  const [search] = useSearchParams();
  const [token] = useState(() => location.hash.slice(1));
  const signedIn = useSyncExternalStore(loginStore.subscribe, loginStore.current);
  const isSignUpPossible = search.get('account') !== 'required';
  const [isNew, setIsNew] = useKept('isNew', isSignUpPossible);
  return (
    <EntryPage
      title={t('account.youreInvited')}
      hint={search.get('to') === 'platform' ? t('account.toChorus') : t('account.toWorkspace')}
    >
      {signedIn !== null ? (
        <Join token={token} email={signedIn.user.email} />
      ) : (
        <>
          {isSignUpPossible && (
            <SegmentedControl
              fullWidth
              aria-label={t('account.account')}
              data={[
                { value: 'new', label: t('account.imNewHere') },
                { value: 'existing', label: t('account.iHaveAnAccount') },
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
        {rich('account.youAreSignedIn', { email: <b>{email}</b> })}
      </Text>
      <Button onClick={() => join.mutate()} loading={join.isPending} fullWidth>
        {t('account.acceptInvitation')}
      </Button>
      <Button variant="subtle" onClick={() => login.signOut()} fullWidth>
        {t('account.useADifferentAccount')}
      </Button>
    </Stack>
  );
}

function SignUp({ token }: { token: string }) {
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const [password, setPassword] = useKept('newPassword', '');
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
          label={t('account.chooseAPassword')}
          description={t('components.atLeast8Characters')}
          name="password"
          autoComplete="new-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          minLength={8}
          required
          autoFocus
        />
        <Button type="submit" loading={create.isPending} fullWidth>
          {t('account.createAccount')}
        </Button>
      </Stack>
    </Form>
  );
}
