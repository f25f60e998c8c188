import type { ChorusClient } from '@chorus/client';
import { QUESTIONS } from './written-answers.ts';

const TITLES = [
  'A letter to the landlord',
  'Names for a grey cat',
  'Bread that rises overnight',
  'Why is the sky green before hail?',
  'Regular expressions for ISBNs',
  'Train from Lisbon to Tallinn',
  'A toast for two shy people',
  'Kubernetes without tears',
];

const PICTURES = [
  'a lighthouse by the sea at dusk',
  'three red balloons over a calm sea',
  'a castle in the mountains at night under a full moon',
  'two sailing boats at sunset',
  'an old tree in a meadow in spring',
  'a red fox in the snow',
  'a sign that says "HARBOUR" by the sea',
  'a small house in the mountains in winter',
  'a hot air balloon over the mountains at dawn',
  'a cat under a starry sky',
  'a windmill in a field of flowers',
  'a yellow moon over a city at night',
  'a blue bird in the rain',
  'a bridge in the fog at dawn',
  'a rocket in space',
  'a palm tree on a beach at sunset',
  'a train in the mountains',
  'a sailing boat in a storm',
];

const DOCUMENTS = [
  {
    title: 'The mills of Harrow',
    tags: ['history'],
    content:
      '# The mills of Harrow\n\nThe wind mill on the hill is the oldest of the three. It was built in 1766 by the widow Anne Carter.\n\n## The fire\n\n' +
      'The mill of Harrow burned down in the dry summer of 1843. It was built again in 1851 by the brothers Finch, of brick this time.\n\n## Today\n\nSince 1998 the mill grinds again, on Sundays, for visitors.',
  },
  {
    title: 'Harbour rules 2026',
    tags: ['harbour', 'rules'],
    content:
      '# Harbour rules\n\nBoats longer than twelve metres berth at the east quay. The harbour office opens at seven in summer.\n\n## Lights\n\nFrom dusk on every boat at anchor shows a white light.',
  },
  {
    title: 'Minutes of the spring meeting',
    tags: ['minutes'],
    content:
      '# Spring meeting\n\nThe festival begins on the first Friday of July. The budget was raised to 12,000 pounds, four against.',
  },
];

const UNITS = [
  {
    title: 'House style for posters',
    tags: ['design'],
    content: '# House style\n\nTwo colours, one typeface, and air.',
  },
  {
    title: 'What we learned from the storm',
    tags: ['harbour'],
    content: 'Double the lines **before** the wind turns.',
  },
  { title: 'Tea for twelve', tags: ['recipes'], content: 'Six pots, one of them decaffeinated.' },
];

export interface Shown {
  session: string;
}

export async function fillPlatform(client: ChorusClient): Promise<Shown> {
  for (const title of TITLES) await client.sessions.create({ title });
  await client.chat.send({ message: QUESTIONS.harbour });
  const { session_id: session } = await client.chat.send({ message: QUESTIONS.tea });
  if (session === null) throw new Error('an answer without a conversation');
  const { data: sessions } = await client.sessions.list({ limit: 50 });
  const starred = sessions.find(({ title }) => title === 'Bread that rises overnight');
  if (starred) await client.sessions.update(starred.id, { starred: true });
  await client.sessions.update(session, { title: 'How long tea should steep', pinned: true });
  await client.agents.create({
    name: 'Harbour master',
    instructions: 'You know the rules of the harbour, and cite them.',
  });
  for (const document of DOCUMENTS) {
    const { execution_id } = await client.knowledge.create(document);
    if (execution_id !== null) await client.knowledge.watch(execution_id);
  }
  for (const unit of UNITS) await client.archive.create(unit);
  const pictures = await client.batches.run(
    PICTURES.map((prompt, seed) => ({ body: { prompt, seed } })),
    { kind: 'iris.image', defaults: { model: 'embedded/canvas', size: '768x768' }, metadata: { file: 'posters.csv' } },
  );
  for await (const { item_id, execution } of pictures)
    if (execution?.status !== 'succeeded') throw new Error(`picture ${item_id}: ${execution?.error?.message}`);
  return { session };
}

export async function beginBatch(client: ChorusClient): Promise<void> {
  const items = Array.from({ length: 10 }, () => PICTURES).flat();
  await client.batches.create({
    kind: 'iris.image',
    defaults: { model: 'embedded/canvas', size: '1024x1024' },
    items: items.map((prompt, seed) => ({ body: { prompt, seed: 100 + seed } })),
    metadata: { file: 'festival-flags.csv' },
  });
}
