import { type AuditLog, ChorusError, NO_ACTOR } from '@chorus/contract';
import type { Database } from '@chorus/database';
import type { RedisConnection } from '@chorus/events';
import { applyGroups, type GroupParts, type GroupRole } from './apply-groups.ts';
import { findUser } from './find-user.ts';
import { createIdentityProvider, type ProvedIdentity, type ProviderSettings } from './identity-provider.ts';
import { createSingleSignOn, OTHER_PERSON, type SingleSignOn } from './single-sign-on.ts';

export interface OidcSettings extends ProviderSettings {
  /** Name on the login button. */
  name: string;
  groupRoles: readonly GroupRole[];
  linkByEmail: boolean;
  createUsers: boolean;
  trustEmail: boolean;
  emailDomains: readonly string[];
}

interface Parts extends Omit<GroupParts, 'groupRoles' | 'database'> {
  database: Pick<Database, 'users' | 'identities' | 'workspaces'>;
  redis: RedisConnection;
  audit: AuditLog;
}

/** Opens single sign-on: finds or creates users, and gives them the roles of their groups. */
export function openSingleSignOn(settings: OidcSettings, { redis, ...parts }: Parts): SingleSignOn {
  const { users, identities } = parts.database;
  return createSingleSignOn({
    name: settings.name,
    provider: createIdentityProvider(settings, parts.log),
    redis,
    async admit(identity) {
      const user = await findUser({ ...parts, ...settings }, identity, NO_ACTOR);
      await applyGroups({ ...parts, ...settings }, user, identity.groups, NO_ACTOR);
      return user;
    },
    async find({ issuer, subject }: ProvedIdentity) {
      const known = await identities.use(issuer, subject, new Date());
      const user = known && (await users.findById(known.user_id));
      if (!user) throw new ChorusError('forbidden', OTHER_PERSON);
      return user;
    },
    isLinked: (userId) => identities.isLinked(userId),
  });
}
