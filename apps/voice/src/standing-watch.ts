import { checkRights } from '@chorus/accounts';
import { ChorusError } from '@chorus/contract';
import type { Caller } from './caller.ts';
import type { VoiceServices } from './voice-services.ts';

/** How often it is asked whether somebody may still speak, in milliseconds. */
const ASK_EVERY_MS = 2_000;

/**
 * Asks again and again whether a caller may still speak: a login that has ended, a key that was revoked, a role that was taken away. A socket outlives
 * its access token, which proved who came in.
 *
 * @param lost called once, with why not
 * @returns ends the asking
 */
export function watchStanding(
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
      // While a store is away nothing is known.
      if (over || !(error instanceof ChorusError) || error.status >= 500) return;
      stop();
      lost(error);
    });
  }, ASK_EVERY_MS);
  const stop = () => {
    over = true;
    clearInterval(timer);
  };
  return stop;
}
