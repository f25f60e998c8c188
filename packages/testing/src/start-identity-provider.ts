import { once } from 'node:events';
import { createServer } from 'node:http';

/** The person who logs in at the provider. */
export interface TestPerson {
  sub: string;
  email: string;
  /** Absent: the provider does not say. Some send text. */
  email_verified?: boolean | string;
  groups?: string[];
}

export interface TestIdentityProvider {
  readonly issuer: string;
  /** Change it between logins. */
  person: TestPerson;
  /** How often someone had to log in. */
  readonly logins: number;
  stop(): Promise<void>;
}

export const OIDC_CLIENT = { id: 'chorus', secret: 'a-secret-of-the-client' };

/** Starts a real OpenID provider that logs `person` in without asking. */
export async function startIdentityProvider(options: {
  port: number;
  /** Base URLs of the platforms that may use it. */
  platforms: readonly string[];
  person: TestPerson;
}): Promise<TestIdentityProvider> {
  const { default: Provider } = await import('oidc-provider');
  const issuer = `http://127.0.0.1:${options.port}`;
  const scope = 'openid email profile groups';
  const running = { issuer, person: options.person, logins: 0 };
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: OIDC_CLIENT.id,
        client_secret: OIDC_CLIENT.secret,
        token_endpoint_auth_method: 'client_secret_post',
        redirect_uris: options.platforms.map((url) => `${url}/api/v1/auth/oidc-callback`),
        post_logout_redirect_uris: options.platforms.map((url) => `${url}/`),
      },
    ],
    pkce: { required: () => true },
    scopes: scope.split(' '),
    claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
    // Set explicitly, since the provider warns about defaults.
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    cookies: { keys: ['a-key-of-cookies'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ ...running.person, sub: id }) }),
    loadExistingGrant: async ({ oidc }) => {
      const grant = new provider.Grant({
        ...(oidc.client && { clientId: oidc.client.clientId }),
        ...(oidc.session?.accountId && { accountId: oidc.session.accountId }),
      });
      grant.addOIDCScope(scope);
      await grant.save();
      return grant;
    },
  });
  const serve = provider.callback();
  const server = createServer((request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void serve(request, response);
    running.logins += 1;
    const result = { login: { accountId: running.person.sub, remember: false } };
    provider.interactionFinished(request, response, result).catch(() => response.destroy());
  });
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(running, {
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
