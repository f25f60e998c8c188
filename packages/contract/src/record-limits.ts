import { ChorusError } from './errors/index.ts';

/** Limits of records that exist at once. */
export const RECORD_LIMITS = {
  /** Per user, not revoked. */
  apiKeys: { most: 100, message: 'You have 100 API keys, the most a user may have. Revoke some.' },
  /** Per scope. */
  agents: { most: 1_000, message: 'This scope has 1,000 agents, the most it may have. Delete some.' },
  prompts: { most: 1_000, message: 'This scope has 1,000 prompts, the most it may have. Delete some.' },
  mcpServers: { most: 200, message: 'This scope has 200 MCP servers, the most it may have. Delete some.' },
  toolApis: { most: 200, message: 'This scope has 200 APIs, the most it may have. Delete some.' },
  /** Per user and scope. */
  folders: { most: 500, message: 'You have 500 folders here, the most a user may have. Delete some.' },
  shares: { most: 1_000, message: 'You have 1,000 links to conversations, the most a user may have. Revoke some.' },
  /** Owned by a user. */
  workspaces: { most: 100, message: 'You own 100 workspaces, the most a user may own. Delete some.' },
  /** Open ones to the platform. */
  userInvitations: {
    most: 500,
    message: 'There are 500 open invitations, the most there may be. Revoke some, or wait until they expire.',
  },
  /** Open ones per workspace. */
  invitations: {
    most: 500,
    message: 'This workspace has 500 open invitations, the most it may have. Revoke some, or wait until they expire.',
  },
} as const;

/**
 * Checks whether one more record may be created. Concurrent requests may exceed the limit slightly.
 * @param count counts the records, up to its argument
 * @throws {ChorusError} limit_reached
 */
export async function checkRecordLimit(
  kind: keyof typeof RECORD_LIMITS,
  count: (most: number) => Promise<number>,
): Promise<void> {
  const { most, message } = RECORD_LIMITS[kind];
  if ((await count(most)) >= most) throw new ChorusError('limit_reached', message, { retryAfterS: 60 });
}
