import { pipeline, Readable, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { AnswerScan } from './scan-answer.ts';

/** Returns the error of an answer that arrives in pieces, and how many bytes passed. */
async function outcome(contentType: string, body: string, pieceBytes: number) {
  const bytes = Buffer.from(body);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) pieces.push(bytes.subarray(at, at + pieceBytes));
  let passed = 0;
  const sink = new Writable({
    write(chunk, _encoding, done) {
      passed += chunk.length;
      done();
    },
  });
  const error = await new Promise<Error | null>((resolve) =>
    pipeline(Readable.from(pieces), new AnswerScan(contentType), sink, (failure) => resolve(failure ?? null)),
  );
  return { error: error?.message ?? null, passed };
}

const lists = (count: number) => Array.from({ length: count }, () => '[]').join();
const nested = (count: number) => `[${Array.from({ length: count }, () => `[${lists(15_000)}]`).join()}]`;
const data = (json: string) => `event: message\ndata: ${json}\n\n`;
const EVENTS = 'text/event-stream; charset=utf-8';

test.each([1, 7, 4_096, 1_000_000])('passes ordinary answers, in pieces of %i bytes', async (piece) => {
  const json = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'a: "b" [{' }] } });
  const events = data(json).repeat(500) + data(`[${lists(5_000)}]`).repeat(2);
  for (const ends of ['\n', '\r\n'])
    expect(await outcome(EVENTS, events.replaceAll('\n', ends), piece)).toMatchObject({ error: null });
  expect(await outcome('application/json', json, piece)).toMatchObject({ error: null });
});

test.each<[string, string, string]>([
  ['JSON', 'application/json', nested(4)],
  ['JSON without a type', '', nested(4)],
  ['an array', 'application/json', `[${lists(20_001)}]`],
  ['depth', 'application/json', '['.repeat(5_001)],
  ['an event', EVENTS, data(nested(4))],
  ['an event without an end', EVENTS, `data: ${nested(4)}`],
  ['an event of many lines', EVENTS, nested(4).replaceAll('],[[', '],\n[[').replace(/^/gm, 'data: ')],
  ['an event after a comment with a quote', EVENTS, `: "\n${data(nested(4))}`],
  ['an event after a name with a quote', EVENTS, `event: "\\u\ndata: ${nested(4)}\n\n`],
  ['an event after a carriage return', EVENTS, `: "\rdata: ${nested(4)}\r\r`],
  ['an event of lines that end twice', EVENTS, `[${lists(15_000)}],\r\n`.repeat(5).replace(/^/gm, 'data: ')],
  ['an event after byte order marks', EVENTS, `\uFEFF\uFEFFdata: ${nested(4)}\n\n`],
  ['empty lines', EVENTS, '\n'.repeat(60_000)],
])('refuses too large a structure while it arrives: %s', async (_what, type, body) => {
  for (const piece of [1_000, 65_536])
    expect(await outcome(type, body, piece)).toMatchObject({
      error: expect.stringMatching(/^The answer of the MCP server has (more than|an array of more)/),
    });
});
