import { ROLES, type Role } from '@chorus/contract/names';
import { z } from 'zod';

/** Role that the members of a group at the identity provider get. */
export interface GroupRole {
  group: string;
  /** Null: they become operators of the platform. */
  workspaceId: string | null;
  role: Role | null;
}

export interface OidcConfig {
  issuer: string;
  clientId: string;
  clientSecret: string | null;
  /** Name on the login button. */
  name: string;
  scopes: string;
  groupsClaim: string;
  groupRoles: readonly GroupRole[];
  /** Whether a verified email address selects an existing account. */
  linkByEmail: boolean;
  /** Whether to create accounts for people without one. */
  createUsers: boolean;
  /** Whether addresses of new accounts count as verified if the provider does not say. */
  trustEmail: boolean;
  /** Domains of the email addresses that may get or link an account. Empty: all. */
  emailDomains: readonly string[];
}

const FORM = /^(.+)=(?:operator|([0-9a-f-]{36}):(\w+))$/i;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** `engineering=<workspace id>:editor, ops=operator` */
export const groupRoles = z
  .string()
  .default('')
  .transform((value, context): GroupRole[] =>
    value
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '')
      .map((one) => {
        const [whole, group = '', workspaceId = null, role = null] = FORM.exec(one) ?? [];
        if (whole === undefined || (role !== null && !(ROLES as readonly string[]).includes(role)))
          context.addIssue({
            code: 'custom',
            message: `must be <group>=<workspace id>:<${ROLES.join('|')}> or <group>=operator, by commas`,
          });
        return { group: group.trim(), workspaceId: workspaceId?.toLowerCase() ?? null, role: role as Role | null };
      }),
  );

/** `example.org, example.com` */
export const emailDomains = z
  .string()
  .default('')
  .transform((value) =>
    value
      .split(',')
      .map((one) => one.trim().toLowerCase().replace(/^@/, ''))
      .filter((one) => one !== ''),
  );

/** An issuer without TLS is only allowed on loopback, for tests. */
export const issuerUrl = z
  .string()
  .trim()
  .refine(
    (value) => {
      const url = URL.parse(value);
      return url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
    },
    { error: 'must be a URL that begins with https://' },
  )
  .nullable()
  .default(null);

interface OidcVariables {
  OIDC_ISSUER: string | null;
  OIDC_CLIENT_ID: string | null;
  OIDC_CLIENT_SECRET: string | null;
  OIDC_NAME: string;
  OIDC_SCOPES: string;
  OIDC_GROUPS_CLAIM: string;
  OIDC_GROUP_ROLES: GroupRole[];
  OIDC_LINK_BY_EMAIL: boolean;
  OIDC_CREATE_USERS: boolean;
  OIDC_TRUST_EMAIL: boolean;
  OIDC_EMAIL_DOMAINS: string[];
  PASSWORD_LOGIN: boolean;
}

/** Returns the settings of single sign-on. Null: off. */
export function readOidc(value: OidcVariables, problems: string[]): OidcConfig | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = value;
  if ((issuer === null) !== (clientId === null)) problems.push('OIDC_ISSUER and OIDC_CLIENT_ID must be set together');
  if (!value.PASSWORD_LOGIN && issuer === null)
    problems.push('PASSWORD_LOGIN=false needs OIDC_ISSUER, since no other login is left');
  if (issuer === null || clientId === null) return null;
  return {
    issuer,
    clientId,
    clientSecret: value.OIDC_CLIENT_SECRET,
    name: value.OIDC_NAME,
    scopes: value.OIDC_SCOPES,
    groupsClaim: value.OIDC_GROUPS_CLAIM,
    groupRoles: value.OIDC_GROUP_ROLES,
    linkByEmail: value.OIDC_LINK_BY_EMAIL,
    createUsers: value.OIDC_CREATE_USERS,
    trustEmail: value.OIDC_TRUST_EMAIL,
    emailDomains: value.OIDC_EMAIL_DOMAINS,
  };
}
