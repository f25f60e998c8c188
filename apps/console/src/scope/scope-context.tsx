import type { ChorusClient, Scope } from '@chorus/client';
import { useLocalStorage } from '@mantine/hooks';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { useAccount } from '../account/account-gate.tsx';

interface ScopeContext {
  scope: Scope;
  /** Begins every key of what is read in this scope. */
  scopeKey: string;
  /** Begins every key of what the browser keeps of this scope: others may sign in to it. */
  storageKey: string;
  /** Asks in this scope. */
  client: ChorusClient;
  switchTo: (scope: Scope) => void;
}

const Context = createContext<ScopeContext | null>(null);

const PERSONAL: Scope = { type: 'personal' };

/** In which scope everything is shown: one's own, or that of a workspace. It is remembered. */
export function ScopeProvider({ children }: { children: ReactNode }) {
  const { client: account, user } = useAccount();
  const [scope, switchTo] = useLocalStorage<Scope>({
    key: `chorus.scope.${user.id}`,
    defaultValue: PERSONAL,
    getInitialValueInEffect: false,
  });
  const value = useMemo(() => {
    const scopeKey = scope.type === 'personal' ? 'personal' : scope.workspaceId;
    return { scope, scopeKey, storageKey: `${user.id}.${scopeKey}`, client: account.with({ scope }), switchTo };
  }, [account, user.id, scope, switchTo]);
  return <Context value={value}>{children}</Context>;
}

export function useScope(): ScopeContext {
  const context = useContext(Context);
  if (context === null) throw new Error('useScope is for what stands within ScopeProvider');
  return context;
}
