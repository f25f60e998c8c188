import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export const QUESTIONS = {
  tea: 'How long should I steep the teas in my cupboard? A small table, please, and a timer in TypeScript.',
  mill: 'When did the mill burn down, and who built it again?',
  harbour: 'Ideas for a poster of our harbour festival',
} as const;

const TEA = `Here is a small table. Use fresh water, and take the leaves out in time: what turns tea bitter is not its strength, but its patience.

| Tea | Water | Time | Goes again |
| --- | --- | --- | --- |
| Green (sencha) | 75 °C | 1½ min | 3 × |
| Oolong | 90 °C | 3 min | 5 × |
| Black (assam) | 96 °C | 4 min | once |
| Herbs | 100 °C | 7 min | once |

A timer for all of them:

\`\`\`ts
const MINUTES = { green: 1.5, oolong: 3, black: 4, herbs: 7 } as const;

export async function steep(tea: keyof typeof MINUTES) {
  await new Promise((done) => setTimeout(done, MINUTES[tea] * 60_000));
  console.log(\`Your \${tea} tea is ready.\`); // and not a second later
}
\`\`\`

1. **Warm the pot** first: it takes ten degrees away otherwise.
2. **Measure the leaves**, two grams for each 100 ml.
3. Call \`steep('green')\`, and stay near.
`;

const HARBOUR = `Three directions, from calm to loud:

- **A woodcut at dawn**: one lighthouse, two colours, the date in its beam.
- **A map of sounds**: each stage of the festival is a buoy, drawn as large as it is loud.
- **The fleet**: forty small boats, one for each band, all sailing the same way.

I would begin with the woodcut: it still works as a stamp, a flag, and an icon on a phone.`;

const MILL =
  'The mill of Harrow burned down in the dry summer of **1843** [1]. The brothers Finch built it again in **1851**, of brick this time [1].';

const BY_QUESTION: Readonly<Record<string, string>> = {
  [QUESTIONS.tea]: TEA,
  [QUESTIONS.harbour]: HARBOUR,
  [QUESTIONS.mill]: MILL,
};

/** Serves OpenAI chat completions with prepared answers, so that screenshots are the same each time. */
export async function startWrittenAnswers(): Promise<{ url: string; stop: () => void }> {
  const server = createServer(async (request, response) => {
    if (request.url === '/v1/models')
      return sendJson(response, { object: 'list', data: [{ id: 'demo', object: 'model' }] });
    const { messages } = JSON.parse(String(await buffer(request))) as {
      messages: { role: string; content: unknown }[];
    };
    const asked = JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content ?? '');
    const question = Object.keys(BY_QUESTION).find((one) => asked.includes(one));
    const text = (question && BY_QUESTION[question]) ?? 'Gladly. What would you like to know?';
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (delta: object, reason: string | null) => {
      const choices = [{ index: 0, delta, finish_reason: reason }];
      response.write(
        `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', model: 'demo', choices })}\n\n`,
      );
    };
    for (const piece of text.match(/\s*\S+/g) ?? []) send({ content: piece }, null);
    send({}, 'stop');
    response.end('data: [DONE]\n\n');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, stop: () => server.close() };
}

function sendJson(response: ServerResponse, body: object): void {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
}
