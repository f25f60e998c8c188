import { defineActions } from './define-actions.ts';
import { EXIT } from './exit-codes.ts';

export const webhooks = defineActions({
  name: 'webhooks',
  summary: 'Shows and redelivers webhooks, and manages the signing secret.',
  actions: {
    list: {
      does: 'lists deliveries, newest first',
      async run({ chorus, output, interrupts: { signal } }) {
        const all = await Array.fromAsync(chorus.webhooks.deliveries({ limit: 100 }, { signal }));
        output.table(['ID', 'STATUS', 'EVENT', 'ATTEMPTS', 'CREATED', 'URL'], all, (one) => [
          one.id,
          one.status,
          one.event,
          String(one.attempt_count),
          one.created_at,
          one.url,
        ]);
        return EXIT.done;
      },
    },
    get: {
      args: '<id>',
      does: 'shows one with its attempts, as JSON',
      async run({ chorus, output, interrupts: { signal } }, id = '') {
        output.document(await chorus.webhooks.delivery(id, { signal }));
        return EXIT.done;
      },
    },
    redeliver: {
      args: '<id>',
      does: 'sends one again',
      async run({ chorus, output, interrupts: { signal } }, id = '') {
        const delivery = await chorus.webhooks.redeliver(id, { signal });
        output.done(`${id}  ${delivery.status}`, delivery);
        return EXIT.done;
      },
    },
    secret: {
      does: 'prints the secret that verifies signatures',
      async run({ chorus, output, interrupts: { signal } }) {
        const secret = await chorus.webhooks.secret({ signal });
        output.done(secret.secret, secret);
        return EXIT.done;
      },
    },
    rotate: {
      does: 'replaces the secret; both sign for a day',
      async run({ chorus, output, interrupts: { signal } }) {
        const secret = await chorus.webhooks.rotateSecret({ signal });
        output.done(secret.secret, secret);
        return EXIT.done;
      },
    },
  },
});
