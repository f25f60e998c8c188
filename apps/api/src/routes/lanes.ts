import { laneEntry, laneResume, listOf, MAX_LISTED_LANES } from '@chorus/contract';
import { defineRoute } from '../define-route.ts';
import { listLanesOf, resumeLanesOf } from '../queues/lanes.ts';

export const listLanes = defineRoute({
  method: 'get',
  path: '/lanes',
  area: 'operations',
  summary: 'List the lanes of providers',
  description:
    'A lane is all calls to one model of a provider, which share a limit. Lists those that were used within a day, that are stopped, or that jobs wait for. For operators; API keys need `operator`.',
  needs: 'operate',
  answer: listOf(laneEntry, MAX_LISTED_LANES),
  handle: async ({ services }) => listLanesOf(services),
});

export const resumeLanes = defineRoute({
  method: 'post',
  path: '/lanes/resume',
  area: 'operations',
  summary: 'Resume a lane, or all lanes of a provider',
  description:
    'One call tests the lane now instead of later, and the lane opens if it is accepted. Lanes that are open stay as they are. Returns the lanes.',
  needs: 'operate',
  body: laneResume,
  answer: listOf(laneEntry, MAX_LISTED_LANES),
  handle: async ({ body, actor, services }) => resumeLanesOf(services, actor, body),
});
