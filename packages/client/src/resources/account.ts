import type { CallOptions } from '../client-options.ts';
import type { BodyOf, QueryOf } from '../operations.ts';
import { everyItem } from '../pages.ts';
import type { Transport } from '../transport.ts';

/** The user who asks, and the keys that programs ask with. */
export function createAccount(transport: Transport) {
  const key = (id: string) => ({ path: { key_id: id } });
  return {
    me: {
      /** Who I am, and in which scope. */
      get: (options?: CallOptions) => transport.request('GET /me', {}, options),
      /** Ends all other logins unless `end_logins` is false. */
      changePassword: (body: BodyOf<'POST /me/password'>, options?: CallOptions) =>
        transport.request('POST /me/password', { body }, options),
      /** The devices that are logged in as you. */
      logins: (query?: QueryOf<'GET /me/logins'>, options?: CallOptions) =>
        everyItem(transport, 'GET /me/logins', { query }, options),
      endLogin: (id: string, options?: CallOptions) =>
        transport.request('DELETE /me/logins/{login_id}', { path: { login_id: id } }, options),
      endOtherLogins: (options?: CallOptions) => transport.request('DELETE /me/logins', {}, options),
      /** Joins the workspace of an invitation. */
      acceptInvitation: (token: string, options?: CallOptions) =>
        transport.request('POST /me/invitations/accept', { body: { token } }, options),
      /** Two-factor authentication by an authenticator app. */
      totp: {
        get: (options?: CallOptions) => transport.request('GET /me/totp', {}, options),
        /** Gives what the app needs; `confirm` turns it on. */
        begin: (body: BodyOf<'POST /me/totp'>, options?: CallOptions) =>
          transport.request('POST /me/totp', { body }, options),
        /** The answer is the only one that shows the recovery codes. */
        confirm: (code: string, options?: CallOptions) =>
          transport.request('POST /me/totp/confirm', { body: { code } }, options),
        renewRecoveryCodes: (body: BodyOf<'POST /me/totp/recovery-codes'>, options?: CallOptions) =>
          transport.request('POST /me/totp/recovery-codes', { body }, options),
        disable: (body: BodyOf<'POST /me/totp/disable'>, options?: CallOptions) =>
          transport.request('POST /me/totp/disable', { body }, options),
      },
    },
    keys: {
      /** The answer is the only one that shows the `secret`. */
      create: (body: BodyOf<'POST /api-keys'>, options?: CallOptions) =>
        transport.request('POST /api-keys', { body }, options),
      list: (query?: QueryOf<'GET /api-keys'>, options?: CallOptions) =>
        transport.request('GET /api-keys', { query }, options),
      all: (query?: QueryOf<'GET /api-keys'>, options?: CallOptions) =>
        everyItem(transport, 'GET /api-keys', { query }, options),
      /** For ever. */
      revoke: (id: string, options?: CallOptions) =>
        transport.request('POST /api-keys/{key_id}/revoke', key(id), options),
      disable: (id: string, options?: CallOptions) =>
        transport.request('POST /api-keys/{key_id}/disable', { ...key(id), body: { disabled: true } }, options),
      enable: (id: string, options?: CallOptions) =>
        transport.request('POST /api-keys/{key_id}/disable', { ...key(id), body: { disabled: false } }, options),
    },
    models: {
      /** Those that can be run now. */
      list: (options?: CallOptions) => transport.request('GET /models', {}, options),
    },
    usage: {
      /** What executions used, by day, model and key. */
      get: (query?: QueryOf<'GET /usage'>, options?: CallOptions) =>
        transport.request('GET /usage', { query }, options),
    },
    audit: {
      list: (query?: QueryOf<'GET /audit'>, options?: CallOptions) =>
        transport.request('GET /audit', { query }, options),
      all: (query?: QueryOf<'GET /audit'>, options?: CallOptions) =>
        everyItem(transport, 'GET /audit', { query }, options),
    },
    users: {
      /** Of the whole platform, for operators. */
      all: (query?: QueryOf<'GET /users'>, options?: CallOptions) =>
        everyItem(transport, 'GET /users', { query }, options),
      /** Turns a user's two-factor authentication off. */
      resetTotp: (id: string, options?: CallOptions) =>
        transport.request('DELETE /users/{user_id}/totp', { path: { user_id: id } }, options),
    },
    queues: {
      /** Lets an operator's browser see the queues: open its `url` there within a minute. */
      ticket: (options?: CallOptions) => transport.request('POST /queues/tickets', {}, options),
    },
  };
}
