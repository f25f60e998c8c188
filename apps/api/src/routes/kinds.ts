import { describeKind, type JobKind, KINDS, type KindDefinition, kindView, listOf } from '@chorus/contract';
import { defineRoute, type Route } from '../define-route.ts';
import { executes } from '../executes.ts';

const definitions: KindDefinition<JobKind>[] = Object.values(KINDS);
const kinds = definitions.map((kind) => describeKind(kind));

/** The routes of all kinds, except those declared by hand. */
export const kindRoutes: Route[] = definitions.flatMap((kind) =>
  kind.route ? [executes({ ...kind, route: kind.route })] : [],
);

export const listKinds = defineRoute({
  method: 'get',
  path: '/kinds',
  area: 'jobs',
  summary: 'List kinds of work',
  description: 'All at once, with the fields of their requests. They change only with a release.',
  needs: 'read',
  answer: listOf(kindView, kinds.length),
  handle: async () => ({ object: 'list', data: kinds, has_more: false, next_cursor: null }),
});
