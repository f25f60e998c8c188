import { beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../api-client.ts';
import type { Platform } from '../platform.ts';

export function messagesJourneys(getPlatform: () => Platform): void {
  let platform: Platform;
  let client: ApiClient;

  beforeAll(() => {
    platform = getPlatform();
    client = platform.client;
  });

  function sent(model: string): string[] {
    const request = platform.fake.requests.find((request) => model.endsWith(`/${request.model}`));
    return ((request?.body.messages ?? []) as { content: string }[]).map(({ content }) => content);
  }

  async function talk(...questions: string[]) {
    let session_id: string | undefined;
    for (const message of questions)
      session_id = (await client.chat({ message, model: 'compatible/echo', session_id })).body.session_id;
    return { session_id: session_id as string, messages: await client.messages(session_id as string) };
  }

  describe('messages', () => {
    it('are read, edited, undone, and deleted with ETags', async () => {
      const { session_id, messages } = await talk('first', 'second');
      const path = `/messages/${messages[0].id}`;
      const read = await client.get(path);
      expect([read.headers.get('etag'), read.body]).toEqual([expect.stringMatching(/^"1-/), messages[0]]);
      const known = { 'if-none-match': String(read.headers.get('etag')) };
      expect((await client.call('GET', path, { headers: known })).status).toBe(304);

      const edited = await client.call('PATCH', path, { body: { content: 'better' }, headers: { 'if-match': '"1"' } });
      expect([edited.status, edited.headers.get('etag'), edited.body.content]).toEqual([
        200,
        expect.stringMatching(/^"2-/),
        'better',
      ]);
      expect((await client.call('GET', path, { headers: known })).status).toBe(200);
      const stale = await client.call('PATCH', path, { body: { content: 'worse' }, headers: { 'if-match': '"1"' } });
      expect([stale.status, stale.body.error]).toMatchObject([409, { code: 'conflict', revision: 2 }]);
      const odd = await client.call('PATCH', path, { body: { content: 'worse' }, headers: { 'if-match': 'two' } });
      expect([odd.status, odd.body.error.details[0].path]).toEqual([422, 'headers.if-match']);

      const model = 'compatible/echo@after-edit';
      await client.chat({ message: 'third', model, session_id });
      expect(sent(model)).toEqual(['better', 'first', 'second', 'second', 'third']);

      expect((await client.call('POST', `${path}/undo`)).body).toMatchObject({ content: 'first', revision: 3 });
      expect((await client.call('POST', `${path}/undo`)).status).toBe(400);
      expect((await client.get(`${path}/history`)).body).toMatchObject({
        object: 'list',
        data: [
          { revision: 1, action: 'created', content: 'first' },
          { revision: 2, action: 'edited', content: 'better' },
          { revision: 3, action: 'undone', content: 'first', restores: 1 },
        ],
      });

      expect((await client.call('DELETE', path)).body).toEqual({
        id: messages[0].id,
        object: 'message',
        deleted: true,
      });
      for (const gone of [path, `${path}/history`]) expect((await client.get(gone)).status).toBe(404);
      expect((await client.get(`/sessions/${session_id}`)).body.message_count).toBe(5);
    });

    it('accept concurrent edits without If-Match one after another', async () => {
      const { messages } = await talk('first');
      const path = `/messages/${messages[0].id}`;
      const words = Array.from({ length: 12 }, (_, index) => `edit ${index}`);
      const edits = await Promise.all(words.map((content) => client.call('PATCH', path, { body: { content } })));
      expect(edits.map(({ status }) => status)).toEqual(words.map(() => 200));
      const history = (await client.get(`${path}/history`)).body.data as { revision: number; content: string }[];
      expect(history.map(({ revision }) => revision)).toEqual(Array.from({ length: 13 }, (_, index) => index + 1));
      expect(
        history
          .slice(1)
          .map(({ content }) => content)
          .sort(),
      ).toEqual(words.sort());
    });

    it('are refused when blank', async () => {
      const { session_id, messages } = await talk('first');
      const blank = await client.chat({ message: ' \n\t ', session_id });
      expect([blank.status, blank.body.error.details]).toEqual([
        400,
        [{ path: 'body.message', message: 'must not be blank' }],
      ]);
      const edit = await client.call('PATCH', `/messages/${messages[0].id}`, { body: { content: '\u2003' } });
      expect([edit.status, edit.body.error.details[0].path]).toEqual([400, 'body.content']);
    });

    it('give an untitled session its title', async () => {
      const { id } = (await client.call('POST', '/sessions')).body;
      await client.chat({ message: 'How old is the mill?', model: 'compatible/echo', session_id: id });
      await client.chat({ message: 'And now?', model: 'compatible/echo', session_id: id });
      expect((await client.get(`/sessions/${id}`)).body.title).toBe('How old is the mill?');
    });

    it('are regenerated from an edited message', async () => {
      const { session_id, messages } = await talk('one', 'two', 'three');
      await client.call('PATCH', `/messages/${messages[2].id}`, { body: { content: 'zwei' } });
      const model = 'compatible/echo@anew';
      const again = await client.chat({ regenerate_from: messages[2].id, model });
      expect(again.body).toMatchObject({ status: 'succeeded', session_id, output: [{ type: 'text', text: 'zwei' }] });
      expect(sent(model)).toEqual(['one', 'one', 'zwei']);
      const now = await client.messages(session_id);
      expect(now.map(({ content }: { content: string }) => content)).toEqual(['one', 'one', 'zwei', 'zwei']);
      const all = (await client.get(`/sessions/${session_id}/messages?include_superseded=true`)).body.data;
      expect(all.filter((message: { superseded_by: string }) => message.superseded_by === again.body.id)).toHaveLength(
        3,
      );

      const both = await client.chat({ regenerate_from: messages[2].id, message: 'x' });
      expect([both.status, both.body.error.details[0].path]).toEqual([400, 'body.message']);
    });

    it('cannot be changed while their turn runs', async () => {
      const running = await client.start({ message: 'x', model: 'compatible/words-5-hang-after-5' });
      const path = `/messages/${running.message_id}`;
      for (const [method, options] of [['PATCH', { body: { content: 'x' } }], ['DELETE']] as const) {
        const refused = await client.call(method, path, options);
        expect([refused.status, refused.body.error]).toMatchObject([
          409,
          { code: 'session_locked', active_execution_id: running.id },
        ]);
      }
      await client.call('POST', `/jobs/${running.id}/cancel`);
    });
  });
}
