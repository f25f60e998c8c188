import { renderUnicodeCompact } from 'uqr';
import { UsageError } from '../command.ts';
import { type Ask, withPrompts } from './ask-terminal.ts';
import { type CommandContext, defineCommand } from './define-command.ts';
import { EXIT } from './exit-codes.ts';

export const account = defineCommand({
  usage: '<action> …',
  summary: 'Manages your account: logins, end, password, totp.',
  actions: ['logins', 'end', 'password', 'totp'],
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
    '',
    'Passwords and codes are read from the terminal, or from standard input, one per line. Requires a login; API keys are not accepted.',
  ].join('\n'),
  options: {
    others: { type: 'boolean' },
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
    throw new UsageError('Specify an action: logins, end, password, or totp.');
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
  output.note('Recovery codes, shown only once. Use each once when you do not have the app:');
  output.done(answer.recovery_codes.join('\n'), answer);
  return EXIT.done;
}
