import type { ChorusClient, User } from '@chorus/client';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo, useSyncExternalStore } from 'react';
import { useRoute } from 'wouter';
import { InvitationPage } from './invitation-page.tsx';
import { accountClient, login } from './login.ts';
import { loginStore } from './login-store.ts';
import { SignInPage } from './sign-in-page.tsx';

interface Account {
  user: User;
  /** Asks in personal scope, whatever scope is shown. */
  client: ChorusClient;
  signOut: () => Promise<void>;
}

const Context = createContext<Account | null>(null);

/** Shows what is behind it to a user who is signed in, and to others the way in. Tokens are renewed below this. */
export function AccountGate({ children }: { children: ReactNode }) {
  const stored = useSyncExternalStore(loginStore.subscribe, loginStore.current);
  const queryClient = useQueryClient();
  const userId = stored?.user.id;
  // Renewed tokens come with the same user: nothing of what is shown changes by them.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the id stands for the user
  const account = useMemo<Account | null>(() => {
    if (stored === null) return null;
    const signOut = async () => {
      await login.signOut();
      queryClient.clear();
      sessionStorage.clear(); // what was written and not sent
    };
    return { user: stored.user, client: accountClient, signOut };
  }, [userId, queryClient]);
  const [isInvited] = useRoute('/invitation');
  if (isInvited) return <InvitationPage />;
  if (account === null) return <SignInPage />;
  return (
    <Context key={userId} value={account}>
      {children}
    </Context>
  );
}

export function useAccount(): Account {
  const account = useContext(Context);
  if (account === null) throw new Error('useAccount is for what stands behind AccountGate');
  return account;
}
