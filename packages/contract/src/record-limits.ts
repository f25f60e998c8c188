import { ChorusError } from './errors.ts';

/** Records of a kind that there may be at once. */
export const RECORD_LIMITS = {
  /** Of a user, that are not revoked. */
  apiKeys: { most: 100, message: 'You have 100 API keys, as many as one user may. Revoke some that are not used.' },
  /** Of a scope. */
  agents: { most: 1_000, message: 'There are 1,000 agents here, as many as a scope may have. Delete some.' },
  /** That a user owns. */
  workspaces: { most: 100, message: 'You own 100 workspaces, as many as one user may. Delete some.' },
  /** Of a workspace, that are open. */
  invitations: {
    most: 500,
    message: 'There are 500 open invitations, as many as a workspace may have. Revoke some, or wait until they expire.',
  },
} as const;

/**
 * Asks before a record is made whether there may be one more. Requests at the same moment may make a few more between them.
 *
 * @param count how many there are, counted up to the number that it is given
 * @throws {ChorusError} limit_reached
 */
export async function checkRecordLimit(
  kind: keyof typeof RECORD_LIMITS,
  count: (most: number) => Promise<number>,
): Promise<void> {
  const { most, message } = RECORD_LIMITS[kind];
  if ((await count(most)) >= most) throw new ChorusError('limit_reached', message, { retryAfterS: 60 });
}
