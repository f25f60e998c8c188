import type { CallOptions } from '../client-options.ts';
import type { BodyOf, QueryOf } from '../operations.ts';
import { iterateItems } from '../pages.ts';
import type { Transport } from '../transport.ts';

/** The user of the client: profile, logins, API keys, usage, and views for operators. */
export function createAccount(transport: Transport) {
  const key = (id: string) => ({ path: { key_id: id } });
  return {
    /** The profile and logins of the user. */
    me: {
      /** Returns the user, the scope, and the role in it. */
      get: (options?: CallOptions) => transport.request('GET /me', {}, options),
      /** Changes the password. Ends all other logins unless `end_logins` is false. */
      changePassword: (body: BodyOf<'POST /me/password'>, options?: CallOptions) =>
        transport.request('POST /me/password', { body }, options),
      /** Returns the user's custom instructions for models. */
      instructions: (options?: CallOptions) => transport.request('GET /me/instructions', {}, options),
      /** Changes the custom instructions. Turns of sessions with `custom_instructions` use them. */
      setInstructions: (body: BodyOf<'PATCH /me/instructions'>, options?: CallOptions) =>
        transport.request('PATCH /me/instructions', { body }, options),
      /** Downloads the user's data as a ZIP file. Returns the response, whose body can be streamed. */
      export: (query?: QueryOf<'GET /me/export'>, options?: CallOptions) =>
        transport.open('GET /me/export', { query }, options),
      /** Deletes the account. */
      deletion: {
        /** Returns what deleting the account would do. */
        plan: (options?: CallOptions) => transport.request('GET /me/deletion', {}, options),
        /** Deletes the account. All its data is erased within minutes. */
        confirm: (body: BodyOf<'POST /me/deletion'>, options?: CallOptions) =>
          transport.request('POST /me/deletion', { body }, options),
      },
      /** Iterates over the devices that are logged in as this user. */
      logins: (query?: QueryOf<'GET /me/logins'>, options?: CallOptions) =>
        iterateItems(transport, 'GET /me/logins', { query }, options),
      /** Ends one login. Its tokens stop working within seconds. */
      endLogin: (id: string, options?: CallOptions) =>
        transport.request('DELETE /me/logins/{login_id}', { path: { login_id: id } }, options),
      /** Ends every login except the current one. */
      endOtherLogins: (options?: CallOptions) => transport.request('DELETE /me/logins', {}, options),
      /**
       * Joins the workspace of an invitation. Throws `not_found` if the token is unknown, used, or
       * expired.
       */
      acceptInvitation: (token: string, options?: CallOptions) =>
        transport.request('POST /me/invitations/accept', { body: { token } }, options),
      /** Two-factor authentication with an authenticator app. */
      totp: {
        /**
         * Returns whether two-factor authentication is on, and how many recovery codes are left.
         */
        get: (options?: CallOptions) => transport.request('GET /me/totp', {}, options),
        /**
         * Starts the setup of two-factor authentication: returns the secret for the authenticator app. `confirm` turns
         * it on.
         */
        begin: (body: BodyOf<'POST /me/totp'>, options?: CallOptions) =>
          transport.request('POST /me/totp', { body }, options),
        /**
         * Turns two-factor authentication on, with a code from the app. Only this response shows the recovery codes.
         */
        confirm: (code: string, options?: CallOptions) =>
          transport.request('POST /me/totp/confirm', { body: { code } }, options),
        /** Replaces the recovery codes. Only this response shows them. */
        renewRecoveryCodes: (body: BodyOf<'POST /me/totp/recovery-codes'>, options?: CallOptions) =>
          transport.request('POST /me/totp/recovery-codes', { body }, options),
        /** Turns two-factor authentication off. */
        disable: (body: BodyOf<'POST /me/totp/disable'>, options?: CallOptions) =>
          transport.request('POST /me/totp/disable', { body }, options),
      },
    },
    /** API keys of the user. */
    keys: {
      /** Creates an API key. Only this response shows its `secret`. */
      create: (body: BodyOf<'POST /api-keys'>, options?: CallOptions) =>
        transport.request('POST /api-keys', { body }, options),
      /** Returns one page of API keys, newest first. */
      list: (query?: QueryOf<'GET /api-keys'>, options?: CallOptions) =>
        transport.request('GET /api-keys', { query }, options),
      /** Iterates over all API keys, newest first. */
      all: (query?: QueryOf<'GET /api-keys'>, options?: CallOptions) =>
        iterateItems(transport, 'GET /api-keys', { query }, options),
      /** Returns the spending limits of an API key, and its spending. */
      budget: (id: string, options?: CallOptions) =>
        transport.request('GET /api-keys/{key_id}/budget', key(id), options),
      /** Changes the spending limits of an API key. Omitted fields stay unchanged. Null removes a limit. */
      changeBudget: (id: string, body: BodyOf<'PATCH /api-keys/{key_id}/budget'>, options?: CallOptions) =>
        transport.request('PATCH /api-keys/{key_id}/budget', { ...key(id), body }, options),
      /** Revokes an API key permanently. It stops working within seconds. */
      revoke: (id: string, options?: CallOptions) =>
        transport.request('POST /api-keys/{key_id}/revoke', key(id), options),
      /** Disables an API key until `enable`. */
      disable: (id: string, options?: CallOptions) =>
        transport.request('POST /api-keys/{key_id}/disable', { ...key(id), body: { disabled: true } }, options),
      /** Enables a disabled API key. Throws `key_revoked` if it was revoked. */
      enable: (id: string, options?: CallOptions) =>
        transport.request('POST /api-keys/{key_id}/disable', { ...key(id), body: { disabled: false } }, options),
    },
    /** Models of the running workers. */
    models: {
      /** Returns the models that can run now. */
      list: (options?: CallOptions) => transport.request('GET /models', {}, options),
    },
    /** Kinds of work. */
    kinds: {
      /** Returns every kind, with the fields of its request. */
      list: (options?: CallOptions) => transport.request('GET /kinds', {}, options),
    },
    /** Tokens, images, seconds, and costs. */
    usage: {
      /** Returns the usage of executions, by day, model, and key. */
      get: (query?: QueryOf<'GET /usage'>, options?: CallOptions) =>
        transport.request('GET /usage', { query }, options),
    },
    /** The audit log of the scope. */
    audit: {
      /** Returns one page of the audit log, newest first. Needs the role `admin`. */
      list: (query?: QueryOf<'GET /audit'>, options?: CallOptions) =>
        transport.request('GET /audit', { query }, options),
      /** Iterates over the audit log, newest first. */
      all: (query?: QueryOf<'GET /audit'>, options?: CallOptions) =>
        iterateItems(transport, 'GET /audit', { query }, options),
    },
    /** Users of the platform, for operators. */
    users: {
      /** Iterates over all users of the platform. For operators. */
      all: (query?: QueryOf<'GET /users'>, options?: CallOptions) =>
        iterateItems(transport, 'GET /users', { query }, options),
      /**
       * Disables or enables a user, or changes whether they are an operator. Takes effect within a
       * second.
       */
      update: (id: string, body: BodyOf<'PATCH /users/{user_id}'>, options?: CallOptions) =>
        transport.request('PATCH /users/{user_id}', { path: { user_id: id }, body }, options),
      /** Invites someone. Only this response contains the `token`. */
      invite: (body: BodyOf<'POST /users/invitations'>, options?: CallOptions) =>
        transport.request('POST /users/invitations', { body }, options),
      /** Iterates over the open invitations, newest first. */
      invitations: (query?: QueryOf<'GET /users/invitations'>, options?: CallOptions) =>
        iterateItems(transport, 'GET /users/invitations', { query }, options),
      /** Revokes an open invitation. */
      revokeInvitation: (id: string, options?: CallOptions) =>
        transport.request('DELETE /users/invitations/{invitation_id}', { path: { invitation_id: id } }, options),
      /** Returns the usage of all users, by day and user. */
      usage: (query?: QueryOf<'GET /users/usage'>, options?: CallOptions) =>
        transport.request('GET /users/usage', { query }, options),
      /** Returns the limits of users and scopes. */
      limits: (options?: CallOptions) => transport.request('GET /limits', {}, options),
      /** Changes limits, which take effect within a second. For operators. */
      changeLimits: (body: BodyOf<'PATCH /limits'>, options?: CallOptions) =>
        transport.request('PATCH /limits', { body }, options),
      /** Turns off two-factor authentication of a user. For operators. */
      resetTotp: (id: string, options?: CallOptions) =>
        transport.request('DELETE /users/{user_id}/totp', { path: { user_id: id } }, options),
    },
    /** The queues and the jobs of all users, for operators. */
    queues: {
      /** Returns the number of waiting, running, and failed jobs in each pool. */
      get: (options?: CallOptions) => transport.request('GET /queues', {}, options),
      /** Returns a page of failed or unfinished jobs of all users, without their content. */
      jobs: (query: QueryOf<'GET /queues/jobs'>, options?: CallOptions) =>
        transport.request('GET /queues/jobs', { query }, options),
      /** Retries failed jobs of any user. */
      retry: (ids: string[], options?: CallOptions) =>
        transport.request('POST /queues/jobs/retry', { body: { ids } }, options),
      /** Cancels jobs of any user. */
      cancel: (ids: string[], options?: CallOptions) =>
        transport.request('POST /queues/jobs/cancel', { body: { ids } }, options),
    },
    /** Lanes: what each provider allows for each model, and what waits for it. For operators. */
    lanes: {
      /** Returns all lanes that were used within a day, are stopped, or that jobs wait for. */
      list: (options?: CallOptions) => transport.request('GET /lanes', {}, options),
      /** Lets one call test a lane, or all lanes of a provider, now. They open if it is accepted. */
      resume: (body: BodyOf<'POST /lanes/resume'>, options?: CallOptions) =>
        transport.request('POST /lanes/resume', { body }, options),
    },
  };
}
