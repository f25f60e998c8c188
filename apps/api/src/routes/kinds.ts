import {
  describeKind,
  type JobKind,
  KINDS,
  type KindDefinition,
  type KindView,
  kindView,
  listOf,
} from '@chorus/contract';
import { defineRoute, type Route } from '../define-route.ts';
import { executes } from '../executes.ts';

const definitions: KindDefinition<JobKind>[] = Object.values(KINDS);
let described: KindView[] | undefined;

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
  answer: listOf(kindView, definitions.length),
  handle: async () => {
    described ??= definitions.map((kind) => describeKind(kind));
    return { object: 'list', data: described, has_more: false, next_cursor: null };
  },
});
