import { UsageError } from '../command.ts';
import { defineCommand } from './define-command.ts';
import { EXIT } from './exit-codes.ts';

export const kinds = defineCommand({
  usage: '',
  summary: 'Lists the kinds of work and the fields of their requests.',
  details: 'Fields with a * are required. The command `batch` accepts the kinds marked for batches.',
  async run({ chorus, args, output, interrupts: { signal } }) {
    if (args.length > 0) throw new UsageError('This command takes no arguments.');
    const { data } = await chorus.kinds.list({ signal });
    output.table(['KIND', 'LABEL', 'BATCHES', 'ROUTE', 'FIELDS'], data, (one) => [
      one.kind,
      one.label,
      one.batchable ? 'yes' : 'no',
      `POST ${one.path}`,
      one.fields.map(({ name, required }) => (required ? `${name}*` : name)).join(' '),
    ]);
    return EXIT.done;
  },
});
