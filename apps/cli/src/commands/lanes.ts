import type { Lane, Provider } from '@chorus/client';
import { defineActions } from './define-actions.ts';
import { EXIT } from './exit-codes.ts';

export const lanes = defineActions({
  name: 'lanes',
  summary: 'Shows what providers allow and what waits for them, and resumes calls. For operators.',
  actions: {
    list: {
      does: 'lists lanes: all calls to one model',
      async run({ chorus, output, interrupts: { signal } }) {
        const { data } = await chorus.lanes.list({ signal });
        output.table(['LANE', 'CALLS', 'LIMIT', 'WAITING', 'REFUSED', 'REASON', 'SINCE', 'UNTIL'], data, cellsOf);
        return EXIT.done;
      },
    },
    resume: {
      args: '<lane|provider>',
      does: 'lets a call test it now, such as openai/gpt-5 or openai',
      async run({ chorus, output, interrupts: { signal } }, name = '') {
        const body = name.includes('/') ? { lane: name } : { provider: name as Provider['name'] };
        const { data } = await chorus.lanes.resume(body, { signal });
        output.table(['LANE', 'REASON', 'SINCE'], data, ({ lane, reason, since }) => [lane, reason, since]);
        return EXIT.done;
      },
    },
  },
});

const cellsOf = ({ lane, in_use, limit, set_limit, waiting, refused, reason, since, until }: Lane) => [
  lane,
  String(in_use),
  set_limit === null ? String(limit) : `${limit} (set: ${set_limit})`,
  String(waiting),
  String(refused),
  reason,
  since,
  until,
];
