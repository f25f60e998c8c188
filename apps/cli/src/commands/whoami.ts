import { UsageError } from '../command.ts';
import { defineCommand } from './define-command.ts';
import { EXIT } from './exit-codes.ts';

export const whoami = defineCommand({
  usage: '',
  summary: 'Shows the platform, the user, and the scope that commands use.',
  details: '--profile and --workspace select others.',
  async run({ chorus, args, output, interrupts: { signal } }) {
    if (args.length > 0) throw new UsageError('This command takes no arguments.');
    const { scope, ...user } = await chorus.me.get({ signal });
    const where = scope.workspace_id === null ? 'personal' : `workspace ${scope.workspace_id}`;
    output.record({ url: chorus.baseUrl, ...user, scope });
    output.line(`${user.email}${user.operator ? ' (operator)' : ''} at ${chorus.baseUrl}\n${where}, ${scope.role}`);
    return EXIT.done;
  },
});
