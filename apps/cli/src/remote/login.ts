import { ChorusError, createClient, createLogin } from '@chorus/client';
import { type ClientSurroundings, type Command, UsageError } from '../command.ts';
import { Output } from '../output.ts';
import { askFor } from './ask-terminal.ts';
import { platformUrl } from './connect.ts';
import { EXIT, EXIT_CODES_HELP } from './exit-codes.ts';
import { textOption } from './remote-command.ts';
import { loginStore, readAccount, writeAccount } from './stored-account.ts';

export const login: Command<ClientSurroundings> = {
  usage: '[--url <address>] [--email <address> | --key]',
  says: 'Logs in to a platform, for the commands below.',
  details: [
    'The password is asked for, or read from standard input. --key stores an API key instead, asked for likewise.',
    'What is stored lies in ~/.config/chorus/account.json (XDG_CONFIG_HOME), for your eyes alone, and is sent to that platform and no other.',
    'CHORUS_URL and CHORUS_API_KEY go before it.',
    '',
    EXIT_CODES_HELP,
  ].join('\n'),
  options: { url: { type: 'string' }, email: { type: 'string' }, key: { type: 'boolean' }, json: { type: 'boolean' } },
  async run(args, { client }, options) {
    if (args.length > 0) throw new UsageError('Passwords and keys are no arguments: they are asked for.');
    const url = await platformUrl(client, textOption(options, 'url'));
    const output = new Output(options.json === true);
    try {
      const who = options.key
        ? await storeKey(client.folder, url)
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

export const logout: Command<ClientSurroundings> = {
  usage: '',
  says: 'Ends that login, here and at the platform.',
  details: EXIT_CODES_HELP,
  options: { json: { type: 'boolean' } },
  async run(_args, { client }, options) {
    const output = new Output(options.json === true);
    const account = await readAccount(client.folder);
    if (account?.login)
      await createLogin({ baseUrl: account.url, store: loginStore(client.folder, account.url) }).logout();
    await writeAccount(client.folder, null);
    output.record({ type: 'logout', url: account?.url ?? null });
    output.line(account === null ? 'Nobody was logged in.' : `Logged out of ${account.url}.`);
    return EXIT.done;
  },
};

async function logIn(folder: string, url: string, given: string | undefined): Promise<string> {
  const password = { what: 'Password', secret: true };
  const answers = await askFor(given === undefined ? [{ what: 'E-mail', secret: false }, password] : [password]);
  const [email = '', secret = ''] = given === undefined ? answers : [given, ...answers];
  const user = await createLogin({ baseUrl: url, store: loginStore(folder, url) }).login(email.trim(), secret);
  return user.email;
}

async function storeKey(folder: string, url: string): Promise<string> {
  const [given = ''] = await askFor([{ what: 'API key', secret: true }]);
  const apiKey = given.trim();
  const { email } = await createClient({ baseUrl: url, apiKey }).me.get();
  await writeAccount(folder, { url, apiKey });
  return email;
}
