import type { ChorusClient, User } from '@chorus/client';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, lazy, type ReactNode, Suspense, useContext, useMemo, useSyncExternalStore } from 'react';
import { useRoute } from 'wouter';
import { Loading } from '../components/placeholders.tsx';
import { PreloadedPage, preloadable } from '../components/preloadable.tsx';
import { withMessages } from '../i18n/i18n.ts';
import { accountClient, login, loginStore } from './login.ts';
import { useIsReturning } from './single-sign-on.tsx';

/** For people who have not signed in. */
export const signInPage = preloadable(withMessages(['account'], () => import('./sign-in-page.tsx')));

const DevicePage = lazy(withMessages(['device'], () => import('./device-page.tsx')));
const InvitationPage = lazy(withMessages(['account', 'components'], () => import('./invitation-page.tsx')));

interface Account {
  user: User;
  /** Always uses the personal scope. */
  client: ChorusClient;
  signOut: () => Promise<void>;
}

const Context = createContext<Account | null>(null);

/** Renders its children for a signed-in user, and the sign-in page for everyone else. */
export function AccountGate({ children }: { children: ReactNode }) {
  const stored = useSyncExternalStore(loginStore.subscribe, loginStore.current);
  const queryClient = useQueryClient();
  const userId = stored?.user.id;
  // A renewed token belongs to the same user, so nothing on screen changes.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the id identifies the user
  const account = useMemo<Account | null>(() => {
    if (stored === null) return null;
    const signOut = async () => {
      await login.signOut();
      queryClient.clear();
      sessionStorage.clear(); // drops unsent drafts
    };
    return { user: stored.user, client: accountClient, signOut };
  }, [userId, queryClient]);
  const isReturning = useIsReturning();
  const [isDevice] = useRoute('/device');
  const [isInvited] = useRoute('/invitation');
  if (isInvited)
    return (
      <Suspense fallback={<Loading />}>
        <InvitationPage />
      </Suspense>
    );
  if (isReturning) return <Loading />;
  if (account === null)
    return (
      <Suspense fallback={<Loading />}>
        <PreloadedPage page={signInPage} />
      </Suspense>
    );
  return (
    <Context key={userId} value={account}>
      {isDevice ? (
        <Suspense fallback={<Loading />}>
          <DevicePage email={account.user.email} />
        </Suspense>
      ) : (
        children
      )}
    </Context>
  );
}

export function useAccount(): Account {
  const account = useContext(Context);
  if (account === null) throw new Error('useAccount must be used inside AccountGate');
  return account;
}
