export type { LoadSubject } from './attempt-delivery.ts';
export { Deliverer } from './deliverer.ts';
export { createLoadSubject } from './load-subject.ts';
export { noteBudgetAlerts } from './note-budget-alerts.ts';
export { keptUntil, type NewDelivery, noteDelivery } from './note-deliveries.ts';
export { noteOperatorEvent } from './note-operator-event.ts';
export { presentDelivery } from './present-delivery.ts';
export { getSecret, rotateSecret } from './webhook-secrets.ts';
