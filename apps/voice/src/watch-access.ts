import { checkRights } from '@chorus/accounts';
import { ChorusError } from '@chorus/contract';
import type { Caller } from './caller.ts';
import type { VoiceServices } from './voice-services.ts';

const CHECK_EVERY_MS = 2_000;

/**
 * Checks regularly whether a caller may still use the socket, which outlives its access token.
 * Detects ended logins, revoked keys, and removed roles.
 *
 * @param lost called once, with the reason
 * @returns stops the checks
 */
export function watchAccess(
  { accounts }: Pick<VoiceServices, 'accounts'>,
  { credential, owner }: Caller,
  lost: (error: ChorusError) => void,
): () => void {
  let over = false;
  const ask = async () => {
    const now = await accounts.standing(credential);
    const asked = { scopeType: owner.scope, workspaceId: owner.workspace_id ?? undefined };
    const { role } = await accounts.resolveScope({ credential: now, ...asked });
    checkRights(now, role, 'run');
  };
  const timer = setInterval(() => {
    ask().catch((error: unknown) => {
      // A store outage proves nothing.
      if (over || !(error instanceof ChorusError) || error.status >= 500) return;
      stop();
      lost(error);
    });
  }, CHECK_EVERY_MS);
  const stop = () => {
    over = true;
    clearInterval(timer);
  };
  return stop;
}
