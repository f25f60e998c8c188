import { ChorusError, createClient, type DeviceAuthorization } from '@chorus/client';
import { type ClientContext, type Command, UsageError } from '../command.ts';
import { Output } from '../output.ts';
import { promptAll, withPrompts } from './ask-terminal.ts';
import { cliLogin } from './cli-login.ts';
import { platformUrl, scopeOf } from './connect.ts';
import { settingsFor, textOption } from './define-command.ts';
import { EXIT, EXIT_CODES_HELP } from './exit-codes.ts';
import { readAccount, writeAccount } from './stored-account.ts';

export const login: Command<ClientContext> = {
  usage: '[--url <address>] [--email <address> | --device | --key [--workspace <id>]]',
  summary: 'Logs in to a platform for the commands below.',
  details: [
    'Prompts for the password, and for a code if the account uses two-factor authentication; or reads both from standard input, one per line.',
    'With --device, shows a code to approve in a browser, on any machine: for single sign-on.',
    'With --key, stores an API key instead; --workspace sets the workspace of a workspace key.',
    'Credentials are stored in ~/.config/chorus/account.json (XDG_CONFIG_HOME), readable only by you, and sent to no other platform.',
    'CHORUS_URL and CHORUS_API_KEY take precedence. --profile <name> keeps several logins; select one with --profile or CHORUS_PROFILE.',
    '',
    EXIT_CODES_HELP,
  ].join('\n'),
  options: {
    url: { type: 'string' },
    email: { type: 'string' },
    key: { type: 'boolean' },
    device: { type: 'boolean' },
    workspace: { type: 'string' },
    profile: { type: 'string' },
    json: { type: 'boolean' },
  },
  async run(args, context, options) {
    if (args.length > 0) throw new UsageError('Passwords and keys cannot be arguments: the command prompts for them.');
    const client = settingsFor(context.client, options);
    const url = await platformUrl(client, textOption(options, 'url'));
    const output = new Output(options.json === true);
    try {
      const who = options.key
        ? await storeKey(client.folder, url, textOption(options, 'workspace'))
        : options.device
          ? await logInDevice(client.folder, url, output)
          : await logIn(client.folder, url, textOption(options, 'email'));
      output.record({ type: 'login', url, email: who });
      output.line(`Logged in to ${url} as ${who}.`);
      return EXIT.done;
    } catch (error) {
      if (!(error instanceof ChorusError)) throw error;
      return output.error(error);
    }
  },
};

export const logout: Command<ClientContext> = {
  usage: '',
  summary: 'Ends the login, here and on the platform.',
  details: EXIT_CODES_HELP,
  options: { profile: { type: 'string' }, json: { type: 'boolean' } },
  async run(_args, context, options) {
    const client = settingsFor(context.client, options);
    const output = new Output(options.json === true);
    const account = await readAccount(client.folder);
    if (account?.login) await cliLogin(client.folder, account.url).logout();
    await writeAccount(client.folder, null);
    output.record({ type: 'logout', url: account?.url ?? null });
    output.line(account === null ? 'You are not logged in.' : `Logged out of ${account.url}.`);
    return EXIT.done;
  },
};

async function logIn(folder: string, url: string, given: string | undefined): Promise<string> {
  const password = { what: 'Password', secret: true };
  const login = cliLogin(folder, url);
  return withPrompts(async (ask) => {
    const answers = await ask(given === undefined ? [{ what: 'Email', secret: false }, password] : [password]);
    const [email = '', secret = ''] = given === undefined ? answers : [given, ...answers];
    try {
      return (await login.login(email.trim(), secret)).email;
    } catch (error) {
      if (!(error instanceof ChorusError && error.code === 'totp_required')) throw error;
      const [code = ''] = await ask([{ what: 'Code from your authenticator app, or a recovery code', secret: false }]);
      return (await login.confirm(String(error.extra.challenge), code)).email;
    }
  });
}

async function logInDevice(folder: string, url: string, output: Output): Promise<string> {
  const show = (asked: DeviceAuthorization) => {
    output.record({ type: 'login.device', ...asked });
    output.line(`Open ${asked.verification_uri_complete}\nand approve the code ${asked.user_code}.`);
  };
  return (await cliLogin(folder, url).device(show)).email;
}

async function storeKey(folder: string, url: string, workspace: string | undefined): Promise<string> {
  const [given = ''] = await promptAll([{ what: 'API key', secret: true }]);
  const apiKey = given.trim();
  const { email } = await createClient({ baseUrl: url, apiKey, scope: scopeOf(workspace) }).me.get();
  await writeAccount(folder, { url, apiKey, workspace });
  return email;
}
