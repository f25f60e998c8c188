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

/** Offers the identity provider, and the password if allowed. */
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
  const error = start.error ?? refusal;
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

/** The error of a login at the identity provider that was just completed. */
let refusal: Error | null = null;

const finishing = finish(takeTicket('sso'));

let confirmation = takeTicket('confirm');

/** Returns the ticket of an identity confirmation that was just completed at the provider. */
export const confirmationTicket = () => confirmation;

export function dropConfirmation(): void {
  confirmation = null;
}

/** Lets users confirm their identity at the provider, and returns to a page of the console. */
export async function confirmAtProvider(returnTo: string): Promise<void> {
  const body = { return_to: returnTo, purpose: 'confirm' as const };
  const { url } = await anonymousClient.request('POST /auth/oidc-start', { body });
  location.assign(url);
}

/** Returns whether a login at the identity provider is being completed. */
export function useIsReturning(): boolean {
  const [isReturning, setReturning] = useState(finishing !== null);
  useEffect(() => {
    void finishing?.then(() => setReturning(false));
  }, []);
  return isReturning;
}

/** Returns the ticket that the provider's redirect left in the address, and removes it there. */
function takeTicket(name: 'sso' | 'confirm'): string | null {
  const ticket = new URLSearchParams(location.hash.slice(1)).get(name);
  if (ticket !== null) history.replaceState(null, '', location.pathname + location.search);
  return ticket;
}

/** Null: no login is being completed. */
function finish(ticket: string | null): Promise<void> | null {
  if (ticket === null) return null;
  return login.redeem(ticket).then(
    () => undefined,
    (error: Error) => {
      refusal = error;
    },
  );
}
