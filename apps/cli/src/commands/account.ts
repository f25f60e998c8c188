import { resolve } from 'node:path';
import { renderUnicodeCompact } from 'uqr';
import { UsageError } from '../command.ts';
import { type Ask, withPrompts } from './ask-terminal.ts';
import { type CommandContext, defineCommand } from './define-command.ts';
import { EXIT } from './exit-codes.ts';
import { saveBody } from './files.ts';

export const account = defineCommand({
  usage: '<action> …',
  summary: 'Manages your account: logins, end, password, totp, export, delete.',
  actions: ['logins', 'end', 'password', 'totp', 'export', 'delete'],
  details: [
    'account logins                  lists the devices and programs that are logged in as you',
    'account end <id>                ends that login',
    'account end --others            ends all other logins',
    'account password                changes your password and ends your other logins',
    '    --keep-logins               keeps the other logins',
    '    --revoke-keys               also revokes all your API keys',
    'account totp                    shows whether two-factor authentication is on',
    'account totp on                 sets up an authenticator app and prints recovery codes',
    'account totp off                turns two-factor authentication off',
    'account totp codes              prints new recovery codes; the old ones stop working',
    'account export <path>           saves everything that you made as a ZIP file; --force overwrites a file',
    '    --no-files                  leaves out the contents of files',
    'account delete --yes            deletes your account; everything that you made is erased within minutes',
    '',
    'Passwords and codes are read from the terminal, or from standard input, one per line. Requires a login; API keys are not accepted.',
  ].join('\n'),
  options: {
    others: { type: 'boolean' },
    yes: { type: 'boolean' },
    force: { type: 'boolean' },
    'no-files': { type: 'boolean' },
    'keep-logins': { type: 'boolean' },
    'revoke-keys': { type: 'boolean' },
  },
  async run(context) {
    const { args } = context;
    const [action, what, ...more] = args;
    if (more.length > 0) throw new UsageError('Too many arguments.');
    if (action === 'logins' && what === undefined) return logins(context);
    if (action === 'end') return end(context, what);
    if (action === 'password' && what === undefined) return withPrompts((ask) => password(context, ask));
    if (action === 'totp') return withPrompts((ask) => totp(context, what, ask));
    if (action === 'export' && what !== undefined) return save(context, what);
    if (action === 'delete' && what === undefined) return withPrompts((ask) => leave(context, ask));
    throw new UsageError('Specify an action: logins, end, password, totp, export, or delete.');
  },
});

async function logins({ chorus, output }: CommandContext): Promise<number> {
  const all = await Array.fromAsync(chorus.me.logins({ limit: 100 }));
  output.table(['ID', 'THIS', 'ADDRESS', 'LAST USED', 'SINCE', 'DEVICE'], all, (one) => [
    one.id,
    one.current ? 'yes' : null,
    one.address,
    one.last_used_at,
    one.created_at,
    one.user_agent,
  ]);
  return EXIT.done;
}

async function end({ chorus, output, options }: CommandContext, id: string | undefined): Promise<number> {
  if ((id === undefined) !== (options.others === true))
    throw new UsageError('Specify the id of a login, or use --others.');
  if (id === undefined) {
    const answer = await chorus.me.endOtherLogins();
    output.done(`Logged out: ${answer.ended}.`, answer);
  } else {
    output.done(`Logged out: ${id}.`, await chorus.me.endLogin(id));
  }
  return EXIT.done;
}

async function save({ chorus, output, options, from, interrupts }: CommandContext, path: string): Promise<number> {
  const file = resolve(from, path);
  const files = options['no-files'] === true ? 'false' : 'true';
  const { signal } = interrupts;
  const open = async () => (await chorus.me.export({ files }, { signal })).body;
  await saveBody(open, file, { force: options.force === true, signal });
  output.done(path, { type: 'file.saved', path: file });
  return EXIT.done;
}

async function leave({ chorus, output, options }: CommandContext, ask: Ask): Promise<number> {
  const { needs_code, erased_workspaces, password: hasPassword, identity_provider } = await chorus.me.deletion.plan();
  for (const { id, name } of erased_workspaces) output.note(`The workspace ${name} (${id}) will be erased, too.`);
  if (options.yes !== true) throw new UsageError('This cannot be undone. Add --yes to confirm.');
  if (!hasPassword && identity_provider !== null)
    throw new UsageError(
      `Delete your account in the console (Settings, Account): you confirm it with ${identity_provider}.`,
    );
  const [current_password = '', code] = await ask(needs_code ? [CURRENT_PASSWORD, CODE] : [CURRENT_PASSWORD]);
  const left = await chorus.me.deletion.confirm({ current_password, ...(code !== undefined && { code }) });
  output.done('Your account was deleted. Everything that you made is erased within minutes.', left);
  return EXIT.done;
}

async function password({ chorus, output, options }: CommandContext, ask: Ask): Promise<number> {
  const [current_password = '', new_password = ''] = await ask([
    { what: 'Current password', secret: true },
    { what: 'New password', secret: true },
  ]);
  if (process.stdin.isTTY) {
    const [again] = await ask([{ what: 'New password again', secret: true }]);
    if (again !== new_password) throw new UsageError('The new passwords do not match.');
  }
  const end_logins = options['keep-logins'] !== true;
  const revoke_keys = options['revoke-keys'] === true;
  const user = await chorus.me.changePassword({ current_password, new_password, end_logins, revoke_keys });
  output.done('The password was changed.', user);
  return EXIT.done;
}

async function totp(context: CommandContext, action: string | undefined, ask: Ask): Promise<number> {
  const { chorus, output } = context;
  if (action === undefined) {
    const state = await chorus.me.totp.get();
    const left = `${state.recovery_codes_left} recovery codes left`;
    output.done(`Two-factor authentication is ${state.enabled ? `on, ${left}` : 'off'}.`, state);
    return EXIT.done;
  }
  if (action === 'on') return turnOn(context, ask);
  if (action !== 'off' && action !== 'codes') throw new UsageError('Specify on, off, or codes after totp.');
  const [current_password = '', code = ''] = await ask([CURRENT_PASSWORD, CODE]);
  if (action === 'off') {
    output.done('Two-factor authentication is off.', await chorus.me.totp.disable({ current_password, code }));
    return EXIT.done;
  }
  return printCodes(context, await chorus.me.totp.renewRecoveryCodes({ current_password, code }));
}

const CURRENT_PASSWORD = { what: 'Current password', secret: true };
const CODE = { what: 'Code from your authenticator app, or a recovery code', secret: false };

async function turnOn(context: CommandContext, ask: Ask): Promise<number> {
  const { chorus, output } = context;
  const [current_password = ''] = await ask([CURRENT_PASSWORD]);
  const enrolment = await chorus.me.totp.begin({ current_password });
  output.record(enrolment);
  if (process.stderr.isTTY) output.note(renderUnicodeCompact(enrolment.uri, { border: 2 }));
  output.note(`Add this key to your authenticator app: ${enrolment.secret}`);
  const [code = ''] = await ask([{ what: 'Code from the app', secret: false }]);
  return printCodes(context, await chorus.me.totp.confirm(code));
}

function printCodes({ output }: CommandContext, answer: { recovery_codes: string[] }): number {
  output.note('Recovery codes, shown only once. Each works once, in place of a code from the app:');
  output.done(answer.recovery_codes.join('\n'), answer);
  return EXIT.done;
}
