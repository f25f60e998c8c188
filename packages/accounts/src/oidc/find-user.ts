import { randomBytes } from 'node:crypto';
import { type Actor, type AuditLog, ChorusError, emailAddress, personalScope } from '@chorus/contract';
import type { Database, UserRecord } from '@chorus/database';
import { hashPassword } from '../passwords/hash-password.ts';
import type { ProvedIdentity } from './identity-provider.ts';

export interface FindUserParts {
  database: Pick<Database, 'users' | 'identities'>;
  audit: AuditLog;
  /** Whether a verified email address selects an existing account. */
  linkByEmail: boolean;
  /** Whether to create accounts for people without one. */
  createUsers: boolean;
  /** Whether addresses of new accounts count as verified if the provider does not say. */
  trustEmail: boolean;
  /** Domains of the addresses that may get or link an account. Empty: all. */
  emailDomains: readonly string[];
}

/**
 * Returns the user of an identity: the linked user, the one with its verified email address if that is allowed, or a
 * new one.
 * @throws {ChorusError} forbidden, with advice
 */
export async function findUser(parts: FindUserParts, identity: ProvedIdentity, actor: Actor): Promise<UserRecord> {
  const { users, identities } = parts.database;
  const { issuer, subject } = identity;
  const known = await identities.use(issuer, subject, new Date());
  const linked = known && (await users.findById(known.user_id));
  if (linked) return admitted(linked);
  if (known) await identities.unlink(known); // its user was erased

  if (identity.email === null) throw refused('The identity provider sent no email address. Ask for the scope `email`.');
  const { data: email, error } = emailAddress.safeParse(identity.email);
  if (email === undefined) throw refused(`Your email address at the identity provider ${error.issues[0]?.message}.`);
  if (parts.emailDomains.length > 0 && !parts.emailDomains.includes(email.slice(email.lastIndexOf('@') + 1)))
    throw refused('Accounts are only for email addresses of certain domains. Ask an operator.');
  const existing = await users.findByEmail(email);
  if (existing !== null && !(parts.linkByEmail && identity.emailVerified === true))
    throw refused(
      'There is an account with your email address that is not linked to the identity provider. Ask an operator.',
    );
  // The address may now belong to another person.
  if (existing !== null && (await identities.isLinked(existing.id, issuer)))
    throw refused(
      'The account with your email address is linked to another account of the identity provider. Ask an operator.',
    );
  if (existing === null && !parts.createUsers) throw refused('You have no account yet. Ask an operator to create one.');
  // No account has the address, so an operator may trust a provider that does not say.
  if (existing === null && !(identity.emailVerified ?? parts.trustEmail))
    throw refused('The identity provider has not verified your email address. Ask an operator.');

  const user = existing === null ? await create(parts, email, actor) : admitted(existing);
  const now = new Date();
  const link = { issuer, subject, user_id: user.id, created_at: now, last_login_at: now };
  // Another login of the same person may have just done this.
  if (!(await identities.link(link))) return findUser(parts, identity, actor);
  await parts.audit.record(actor, {
    scope_key: personalScope(user.id),
    action: 'identity.linked',
    target: { type: 'user', id: user.id },
    details: { issuer },
  });
  return user;
}

/** Creates a user with a password that no one knows. An operator can set another one. */
async function create({ database, audit }: FindUserParts, email: string, actor: Actor): Promise<UserRecord> {
  const password_hash = await hashPassword(randomBytes(32).toString('base64url'));
  const user = await database.users.create({ email, password_hash, operator: false });
  const fact = { action: 'user.created', target: { type: 'user', id: user.id }, details: { email } } as const;
  await audit.record(actor, { ...fact, scope_key: personalScope(user.id) });
  return user;
}

function admitted(user: UserRecord): UserRecord {
  if (user.disabled_at !== null) throw refused('Your account is disabled. Ask an operator.');
  return user;
}

const refused = (message: string) => new ChorusError('forbidden', message);
