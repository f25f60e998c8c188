import { UsageError } from '../command.ts';
import { printTable } from '../print-table.ts';
import { defineCommand, textOption } from './define-command.ts';
import { EXIT } from './exit-codes.ts';

export const usage = defineCommand({
  usage: '[--from <day>] [--to <day>]',
  summary: 'Shows usage and cost by day, model, and API key, and the storage used.',
  details: '--from, --to          dates such as 2026-03-31, in UTC; default: the last 30 days',
  options: { from: { type: 'string' }, to: { type: 'string' } },
  async run({ chorus, args, options, output, interrupts: { signal } }) {
    if (args.length > 0) throw new UsageError('This command takes no arguments.');
    const query = { from: textOption(options, 'from'), to: textOption(options, 'to') };
    const { data, total, storage, ...report } = await chorus.usage.get(query, { signal });
    if (output.json) {
      for (const row of data) output.record(row);
      output.record({ object: 'usage.storage', ...storage });
      output.record({ object: 'usage.total', from: report.from, to: report.to, ...total });
      return EXIT.done;
    }
    const cells = (row: typeof total) => [
      String(row.executions),
      String(row.input_tokens),
      String(row.output_tokens),
      `${row.estimated_executions > 0 ? '~' : ''}${row.cost_usd.toFixed(4)}${row.unpriced_executions > 0 ? ' *' : ''}`,
    ];
    const rows = data.map((row) => [row.day, row.model, row.api_key_id, ...cells(row)]);
    printTable(
      ['DAY', 'MODEL', 'KEY', 'EXECUTIONS', 'TOKENS IN', 'TOKENS OUT', 'COST $'],
      [...rows, ['total', null, null, ...cells(total)]],
    );
    if (total.estimated_executions > 0)
      output.line(`~ ${total.estimated_executions} executions ended before their provider reported all usage.`);
    if (total.unpriced_executions > 0) output.line(`* ${total.unpriced_executions} executions have no known price.`);
    const { used_bytes, limit_bytes } = storage;
    const limit = limit_bytes === null ? '' : ` of ${limit_bytes.toLocaleString('en')}`;
    output.line(`Stored: ${used_bytes.toLocaleString('en')}${limit} bytes.`);
    return EXIT.done;
  },
});
