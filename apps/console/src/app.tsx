import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Router } from 'wouter';
import { AccountGate } from './account/account-gate.tsx';
import { basePath } from './base-path.ts';
import { createQueryClient } from './data/query-client.ts';
import { guardDrops } from './guard-drops.ts';
import { keepFocus } from './keep-focus.ts';
import { nonce } from './nonce.ts';
import { Shell } from './shell/shell.tsx';
import { cssVariables, theme } from './theme.ts';

export function App() {
  const [queryClient] = useState(createQueryClient);
  useEffect(keepFocus, []);
  useEffect(guardDrops, []);
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      cssVariablesResolver={cssVariables}
      getStyleNonce={() => nonce}
    >
      <Notifications position="top-center" />
      <QueryClientProvider client={queryClient}>
        <Router base={basePath}>
          <AccountGate>
            <Shell />
          </AccountGate>
        </Router>
      </QueryClientProvider>
    </MantineProvider>
  );
}
