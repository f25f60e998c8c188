import { ChorusError } from '@chorus/contract';
import { describe, expect, test } from 'vitest';
import { type MessageBody, messageBody } from './message-body.ts';
import { renameFields, toChatRequest } from './to-chat-request.ts';

const bodyOf = (fields: object): MessageBody =>
  messageBody.parse({ model: 'openai/x', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }], ...fields });
const translate = (fields: object) => toChatRequest(bodyOf(fields));
const converted = (...messages: object[]) => translate({ messages }).messages ?? [];
const refusalOf = (fields: object) => {
  try {
    translate(fields);
    return null;
  } catch (error) {
    return error instanceof ChorusError ? error.message : error;
  }
};

const PNG = 'iVBORw0KGgo=';
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };
const imagePart = { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } };
const call = { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'door' } };
const asked = [
  { role: 'user', content: 'Look.' },
  { role: 'assistant', content: [{ type: 'text', text: 'Wait.' }, call] },
];
const weather = { name: 'weather', description: 'Now', input_schema: { type: 'object' }, strict: true };

test('a system prompt, texts, images, and documents keep their places', () => {
  const pdf = { type: 'base64', media_type: 'application/pdf', data: 'JVBERg==' };
  const text = { type: 'text', media_type: 'text/plain', data: 'Once.' };
  const cached = { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } };
  const request = translate({
    system: [cached],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Compare.' },
          image,
          { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
          { type: 'document', source: pdf, title: 'A tale' },
          { type: 'document', source: text, title: 'Tale', context: 'A fable', citations: { enabled: false } },
          { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'Twice.' }, image] } },
        ],
      },
      { role: 'assistant', content: 'It' },
    ],
  });
  expect(request.messages).toEqual([
    { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Compare.' },
        imagePart,
        { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
        { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERg==', filename: 'A tale' } },
        { type: 'text', text: 'Tale\nA fable' },
        { type: 'text', text: 'Once.' },
        { type: 'text', text: 'Twice.' },
        imagePart,
      ],
    },
    { role: 'assistant', content: 'It' },
  ]);
});

test('results of tools come before the rest of their message, and their images after them', () => {
  const content = [
    { type: 'text', text: 'Go on.' },
    { type: 'tool_result', tool_use_id: 'toolu_1', content: [image] },
  ];
  expect(converted(...asked, { role: 'user', content })).toEqual([
    { role: 'user', content: 'Look.' },
    {
      role: 'assistant',
      content: 'Wait.',
      tool_calls: [{ id: 'toolu_1', type: 'function', function: { name: 'look', arguments: '{"at":"door"}' } }],
    },
    { role: 'tool', tool_call_id: 'toolu_1', content: 'The files follow in the next message.' },
    {
      role: 'user',
      content: [{ type: 'text', text: 'Go on.' }, { type: 'text', text: 'Files in the result of toolu_1:' }, imagePart],
    },
  ]);
});

test('a search result becomes text', () => {
  const found = { source: 'https://example.org', title: 'Doors', content: [{ type: 'text', text: 'Shut.' }] };
  const content = [{ type: 'search_result', ...found, citations: { enabled: false } }];
  expect(converted({ role: 'user', content })).toEqual([
    { role: 'user', content: ['Doors', 'https://example.org', 'Shut.'].map((text) => ({ type: 'text', text })) },
  ]);
});

describe('tools that are not offered at first', () => {
  const named = (name: string) => ({ name, input_schema: { type: 'object' } });
  const look = named('look');
  const fetch = { ...named('fetch'), defer_loading: true };
  const search = { ...named('search'), defer_loading: true };
  const reference = (name: string) => ({ type: 'tool_reference', name });
  const change = (type: string, tool: object) => ({ role: 'system', content: [{ type, tool }] });
  const found = {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'tool_reference', tool_name: 'fetch' }] },
    ],
  };

  test.each([
    ['are hidden', asked.slice(0, 1), {}, ['look']],
    ['appear when a result names them', [...asked, found], {}, ['look', 'fetch']],
    ['appear when the caller chooses them', asked.slice(0, 1), { type: 'tool', name: 'search' }, ['look', 'search']],
    [
      'appear when they are added',
      [...asked.slice(0, 1), change('tool_addition', reference('search'))],
      {},
      ['look', 'search'],
    ],
    [
      'may be defined later',
      [...asked.slice(0, 1), change('tool_addition', { type: 'tool_definition', definition: named('new') })],
      {},
      ['look', 'new'],
    ],
    ['may be removed', [...asked, found, change('tool_removal', reference('look'))], {}, ['fetch']],
  ])('%s', (_, messages, choice, names) => {
    const { tools } = translate({
      ...{ tools: [fetch, look, search], messages },
      ...('type' in choice && { tool_choice: choice }),
    });
    expect(tools?.map((one) => one.function.name).toSorted()).toEqual(names.toSorted());
  });

  test('are mentioned in the result that names them, and errors name their place in the body', () => {
    expect(converted(...asked, found).at(-1)).toMatchObject({
      content: 'The tool fetch can be called now.',
    });
    expect(refusalOf({ tools: [fetch, look, look] })).toBe('body.tools.2.name: must be unique');
  });
});

test('a system message without text, or for an earlier message of the user only, is not sent', () => {
  const note = { role: 'system', content: 'Hurry.', clear_at: 'next_user_message' };
  const effort = { role: 'system', output_config: { effort: 'low' } };
  const user = asked.slice(0, 1);
  expect(converted(...user, note, effort).map(({ role }) => role)).toEqual(['user', 'system']);
  expect(converted(...user, note, ...user).map(({ role }) => role)).toEqual(['user', 'user']);
});

test.each([
  [{ content: 'Shut' }, 'Shut'],
  [{}, ''],
  [
    {
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    },
    'a\nb',
  ],
  [{ content: 'No door', is_error: true }, 'Error: No door'],
])('the result %j is %j', (result, content) => {
  const block = { type: 'tool_result', tool_use_id: 'toolu_1', ...result };
  expect(converted(...asked, { role: 'user', content: [block] }).at(-1)).toEqual({
    ...{ role: 'tool', tool_call_id: 'toolu_1' },
    content,
  });
});

test('thinking goes back to the model that signed it', () => {
  const thoughts = [
    { type: 'thinking', thinking: 'Hm.', signature: 'signed' },
    { type: 'redacted_thinking', data: 'secret' },
    { type: 'thinking', thinking: 'So.' },
  ];
  const content = [...thoughts, { type: 'text', text: 'Yes' }];
  expect(converted({ role: 'user', content: 'Well?' }, { role: 'assistant', content }).at(-1)).toEqual({
    role: 'assistant',
    content: 'Yes',
    reasoning_blocks: [{ text: 'Hm.', signature: 'signed' }, { text: '', signature: 'secret' }, { text: 'So.' }],
  });
});

test.each([
  [{ stop_sequences: ['END'] }, { stop: ['END'] }],
  [{ metadata: { user_id: 'me' } }, { user: 'me' }],
  [{ service_tier: 'standard_only' }, { service_tier: 'default' }],
  [
    { tools: [weather] },
    {
      tools: [
        {
          type: 'function',
          function: { name: 'weather', description: 'Now', strict: true, parameters: { type: 'object' } },
        },
      ],
    },
  ],
  [{ tools: [weather], tool_choice: { type: 'auto' } }, { tool_choice: 'auto' }],
  [
    { tools: [weather], tool_choice: { type: 'any', disable_parallel_tool_use: true } },
    { tool_choice: 'required', parallel_tool_calls: false },
  ],
  [
    { tools: [weather], tool_choice: { type: 'tool', name: 'weather' } },
    { tool_choice: { type: 'function', function: { name: 'weather' } } },
  ],
  [{ tool_choice: { type: 'none' } }, { tool_choice: 'none' }],
  [{ thinking: { type: 'disabled' } }, { reasoning_effort: 'none' }],
  [{ thinking: { type: 'adaptive' } }, { provider_options: { anthropic: { thinking: { type: 'adaptive' } } } }],
  [
    { thinking: { type: 'adaptive', display: 'updates' } },
    { provider_options: { anthropic: { thinking: { type: 'adaptive', display: 'updates' } } } },
  ],
  [
    { max_tokens: 5_000, thinking: { type: 'enabled', budget_tokens: 2_000 } },
    { max_tokens: 5_000, reasoning_effort: 'low' },
  ],
  [{ thinking: { type: 'enabled', budget_tokens: 10_000 } }, { reasoning_effort: 'medium' }],
  [{ thinking: { type: 'enabled', budget_tokens: 32_000 } }, { reasoning_effort: 'high' }],
  [
    { system: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl: '1h' } }] },
    { provider_options: { anthropic: { cache_control: { type: 'ephemeral', ttl: '1h' } } } },
  ],
  [
    { output_config: { effort: 'max' } },
    { reasoning_effort: 'xhigh', provider_options: { anthropic: { effort: 'max' } } },
  ],
  [
    { model: 'google/x', top_k: 5 },
    { provider_options: { anthropic: { top_k: 5 }, google: { top_k: 5 }, compatible: { top_k: 5 } } },
  ],
  [
    { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
    {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', schema: { type: 'object' }, strict: true },
      },
    },
  ],
])('%j becomes %j', (fields, expected) => {
  expect(translate(fields)).toMatchObject(expected);
});

test('settings without effect are left out', () => {
  const { reasoning_effort, service_tier, parallel_tool_calls } = translate({
    ...{ thinking: { type: 'adaptive' }, service_tier: 'auto', tools: [weather], tool_choice: { type: 'any' } },
  });
  expect([reasoning_effort, service_tier, parallel_tool_calls]).toEqual([undefined, undefined, undefined]);
});

test.each([
  [{ messages: asked }, 'body.messages.1.content.1: has no result: no message has tool_use_id `toolu_1`'],
  [
    {
      system: 'x',
      messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_9', content: '' }] }],
    },
    'body.messages.0.content.0: must be the id of a tool_use block in the assistant message before it',
  ],
  [{ tools: [weather, weather] }, 'body.tools.1.name: must be unique'],
  [{ tool_choice: { type: 'any' } }, 'body.tool_choice: requires `tools`'],
  [
    { tools: [weather], tool_choice: { type: 'tool', name: 'x' } },
    'body.tool_choice.name: must name one of the tools: weather',
  ],
  [{ top_k: 5 }, 'body.top_k: is not supported by openai/x'],
])('%j is refused', (fields, message) => {
  expect(refusalOf(fields)).toBe(message);
});

test.each([
  [{}, '`reasoning_effort` is wrong', '`thinking` is wrong'],
  [{ output_config: { effort: 'low' } }, 'body.reasoning_effort', 'body.output_config.effort'],
  [{}, 'body.stop', 'body.stop_sequences'],
  [{ system: 'x' }, 'body.messages.1.content.0.image_url.url: no', 'body.messages.0: no'],
  [{ system: 'x' }, 'body.messages.0', 'body.system'],
  [
    { system: 'x', messages: [{ role: 'user', content: [{ type: 'text', text: 'a' }, image] }] },
    'body.messages.1.content.1 cannot be used',
    'body.messages.0.content.1 cannot be used',
  ],
])('%j: an error about %s names the field %s', (fields, text, expected) => {
  const given = bodyOf(fields);
  expect(renameFields(given)(text)).toBe(expected);
});
