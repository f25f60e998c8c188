import type { ChorusClient, Scope } from '@chorus/client';
import { useLocalStorage } from '@mantine/hooks';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { useAccount } from '../account/account-gate.tsx';

interface ScopeContext {
  scope: Scope;
  /** Prefix of all query keys in this scope. */
  scopeKey: string;
  /** Prefix of all browser storage keys in this scope; other users may share the scope. */
  storageKey: string;
  client: ChorusClient;
  switchTo: (scope: Scope) => void;
}

const Context = createContext<ScopeContext | null>(null);

const PERSONAL: Scope = { type: 'personal' };

/** Provides the selected scope, personal or a workspace, and remembers it. */
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
  if (context === null) throw new Error('useScope must be used inside ScopeProvider');
  return context;
}
