import { scopeHeaders } from '@chorus/accounts';
import { keyMay } from '@chorus/contract';
import { verifyCredential } from '../http/authenticate.ts';
import type { ScopedContext } from '../http/request-context.ts';

/** Whether the credential of one who follows a long stream is still good, and its user still in the scope. */
export async function mayFollow({ request, services }: ScopedContext): Promise<boolean> {
  try {
    const credential = await verifyCredential(services.accounts, request);
    await services.accounts.resolveScope({ credential, ...scopeHeaders(request.headers) });
    return keyMay(credential.key?.permissions ?? null, 'read');
  } catch (error) {
    // While the stores are away nothing is told either.
    return (error as { code?: unknown }).code === 'store_unavailable';
  }
}
