import { expect, test } from 'vitest';
import { parseConversation } from './parse-conversation.ts';

const said = (role: string, text: string, more: object = {}) => ({
  author: { role },
  create_time: 1_756_000_001.5,
  content: { content_type: 'text', parts: [text] },
  recipient: 'all',
  metadata: {},
  ...more,
});

const node = (parent: string | null, message: unknown) => ({ parent, message, children: [] });

const chatgpt = {
  title: 'Rollbacks',
  create_time: 1_756_000_000.1,
  update_time: 1_756_000_400,
  mapping: {
    root: node(null, null),
    hidden: node('root', said('user', 'profile', { metadata: { is_visually_hidden_from_conversation: true } })),
    q1: node('hidden', said('user', 'How do I roll back?')),
    other: node('q1', said('assistant', 'Another branch')),
    call: node('q1', said('assistant', 'search()', { recipient: 'browser' })),
    result: node('call', said('tool', 'found')),
    a1: node('result', said('assistant', 'Run this.')),
    a2: node('a1', said('assistant', 'Then that.')),
    q2: node('a2', {
      ...said('user', ''),
      content: { content_type: 'multimodal_text', parts: [{ asset_pointer: 'file://x' }, 'And this?'] },
    }),
  },
  current_node: 'q2',
  conversation_id: 'c-1',
  is_archived: true,
};

const contents = (raw: unknown) => parseConversation(raw).messages.map(({ role, content }) => [role, content]);

test('reads the shown branch of a ChatGPT conversation', () => {
  const parsed = parseConversation(chatgpt);
  expect(parsed).toMatchObject({ format: 'chatgpt', id: 'c-1', title: 'Rollbacks', archived: true, missingFiles: 1 });
  expect(parsed.created_at?.toISOString()).toBe('2025-08-24T01:46:40.100Z');
  expect(contents(chatgpt)).toEqual([
    ['user', 'How do I roll back?'],
    ['assistant', 'Run this.\n\nThen that.'],
    ['user', 'And this?'],
  ]);
  // A cycle of parents ends the branch.
  const circle = { ...chatgpt, mapping: { a: node('b', said('user', 'A')), b: node('a', said('assistant', 'B')) } };
  expect(contents({ ...circle, current_node: 'b' })).toEqual([
    ['user', 'A'],
    ['assistant', 'B'],
  ]);
});

const libre = (id: string, parent: string | null, isUser: boolean, text: string, children: object[] = []) => ({
  messageId: id,
  parentMessageId: parent,
  isCreatedByUser: isUser,
  createdAt: '2024-05-01T16:35:11.530Z',
  ...(isUser
    ? { text }
    : {
        text: '',
        content: [
          { type: 'think', think: 'hm' },
          { type: 'text', text },
        ],
      }),
  children,
});

test('reads lists and deep trees from LibreChat', () => {
  const conversation = { conversationId: 'l-1', title: 'Venv', endpoint: 'openAI' };
  const none = '00000000-0000-0000-0000-000000000000';
  const expected = [
    ['user', 'Q'],
    ['assistant', 'A2'],
  ];
  const tree = [libre('q', none, true, 'Q', [libre('a1', 'q', false, 'A1'), libre('a2', 'q', false, 'A2')])];
  expect(contents({ ...conversation, messagesTree: tree })).toEqual(expected);
  expect(contents({ ...conversation, messages: tree })).toEqual(expected);
  const list = [libre('q', none, true, 'Q'), libre('a1', 'q', false, 'A1'), libre('a2', 'q', false, 'A2')];
  expect(contents({ ...conversation, messages: list })).toEqual(expected);
  let deep = libre('m9999', 'm9998', false, 'last');
  for (let at = 9_998; at >= 0; at--)
    deep = libre(`m${at}`, at === 0 ? none : `m${at - 1}`, at % 2 === 0, `${at}`, [deep]);
  expect(contents({ ...conversation, messages: [deep] })).toHaveLength(10_000);
});

test('reads the shown branch of an Open WebUI chat, without its reasoning', () => {
  const details = '<details type="reasoning" done="true"><summary>Thought</summary>hm</details>';
  const messages = {
    q: { parentId: null, role: 'user', content: 'What is 15 * 17?', timestamp: 1_700_000_000, files: [{}] },
    a1: { parentId: 'q', role: 'assistant', content: `${details}255` },
    a2: { parentId: 'q', role: 'assistant', content: `254${details} <details type="reasoning" done` },
  };
  const chat = { title: 'Sums', history: { currentId: 'a1', messages } };
  const raw = { id: 'w-1', title: 'Sums', chat, created_at: 1_700_000_000, updated_at: 1_700_000_010, pinned: true };
  expect(parseConversation(raw)).toMatchObject({ format: 'open-webui', id: 'w-1', pinned: true, missingFiles: 1 });
  expect(contents(raw)).toEqual([
    ['user', 'What is 15 * 17?'],
    ['assistant', '255'],
  ]);
  expect(contents({ ...chat, history: { messages } })).toContainEqual([
    'assistant',
    '254 <details type="reasoning" done',
  ]);
});

test.each([
  ['a number', 7, '', 'is not an exported conversation of Chorus, ChatGPT, LibreChat, or Open WebUI'],
  [
    'an unknown object',
    { title: 'x' },
    '',
    'is not an exported conversation of Chorus, ChatGPT, LibreChat, or Open WebUI',
  ],
  ['ChatGPT without messages', { title: 'x', create_time: 1 }, 'mapping', 'is required'],
  ['LibreChat with a wrong list', { conversationId: 'x', messages: {} }, 'messages', 'must be an array'],
  ['Open WebUI without messages', { chat: { history: {} } }, 'chat.history.messages', 'is required'],
  ['our own without messages', { object: 'session.export', id: 'x' }, 'title', 'is required'],
])('says what is wrong with %s', (_, raw, path, message) => {
  expect(() => parseConversation(raw)).toThrow(expect.objectContaining({ path, message }));
});
