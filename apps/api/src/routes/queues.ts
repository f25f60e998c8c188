import { queuesTicket } from '@chorus/contract';
import { defineRoute } from '../define-route.ts';

export const createQueuesTicket = defineRoute({
  method: 'post',
  path: '/queues/tickets',
  area: 'operations',
  summary: 'Get a ticket for the view of the queues',
  description:
    'For operators (an API key needs the permission `operator`): a browser that opens `url` within 60 s is shown what waits, runs and has failed in the queues of the workers, for half an hour, and can change nothing. ' +
    'What users have asked for is not shown.',
  needs: 'operate',
  answer: queuesTicket,
  secret: true,
  rateClass: 'writes',
  handle: async ({ credential, services, context }) => {
    const { ticket, expires_at } = await services.accounts.operatorSessions.issueTicket(credential);
    const url = `${context.addresses.baseUrl}/queues/enter?ticket=${ticket}`;
    return { object: 'queues.ticket', ticket, expires_at: expires_at.toISOString(), url } as const;
  },
});
