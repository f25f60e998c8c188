import { Button, Divider } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { ErrorAlert } from '../components/placeholders.tsx';
import { t } from '../i18n/i18n.ts';
import { basePath } from '../page-config.ts';
import { anonymousClient, login } from './login.ts';

interface SignInMethodsProps {
  /** The form for a password. */
  children: ReactNode;
}

/** Offers the identity provider, and the password where it is allowed. */
export function SignInMethods({ children }: SignInMethodsProps) {
  const methods = useQuery({
    queryKey: ['auth', 'methods'],
    queryFn: ({ signal }) => anonymousClient.request('GET /auth/methods', {}, { signal }),
  });
  const start = useMutation({
    mutationFn: async () => {
      const here = location.pathname.slice(basePath.length) || '/';
      const body = { return_to: here + location.search };
      const { url } = await anonymousClient.request('POST /auth/oidc-start', { body });
      location.assign(url);
    },
  });
  const oidc = methods.data?.oidc;
  const error = start.error ?? returned.error;
  return (
    <>
      {error && <ErrorAlert error={error} />}
      {oidc && (
        <Button
          variant={methods.data?.password ? 'default' : 'filled'}
          onClick={() => start.mutate()}
          loading={start.isPending || start.isSuccess}
          fullWidth
        >
          {t('common.continueWith', { name: oidc.name })}
        </Button>
      )}
      {oidc && methods.data?.password && <Divider label={t('common.or')} />}
      {methods.data?.password !== false && children}
    </>
  );
}

/** Values that the identity provider's redirect left in the address. */
const returned: { ticket: string | null; error: Error | null } = takeReturn();

const finishing = returned.ticket === null ? null : finish(returned.ticket);

/** Returns whether a login at the identity provider is being completed. */
export function useIsReturning(): boolean {
  const [isReturning, setReturning] = useState(finishing !== null);
  useEffect(() => {
    void finishing?.then(() => setReturning(false));
  }, []);
  return isReturning;
}

function takeReturn(): typeof returned {
  const values = new URLSearchParams(location.hash.slice(1));
  const ticket = values.get('sso');
  if (ticket !== null) history.replaceState(null, '', location.pathname + location.search);
  return { ticket, error: null };
}

async function finish(ticket: string): Promise<void> {
  try {
    await login.redeem(ticket);
  } catch (error) {
    returned.error = error as Error;
  }
}
