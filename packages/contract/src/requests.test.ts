import { describe, expect, test } from 'vitest';
import { isJobKind, KINDS } from './all-kinds.ts';
import { loginRequest } from './auth.ts';
import { parseBounded } from './bounded.ts';
import { describeIssues } from './describe-issues.ts';
import { newId } from './ids.ts';
import { jobData } from './job-data.ts';
import { jobsQuery } from './jobs-query.ts';
import { chatRequest } from './kinds/chat-completion.ts';
import { response } from './kinds/response.ts';
import { listQuery } from './list.ts';
import { roleAllows, scopeKey } from './owner.ts';
import { sessionCreate, sessionPatch, sessionQuery } from './sessions.ts';
import { usageQuery } from './usage.ts';

const accepts = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success;

describe('a chat request', () => {
  const messages = [{ role: 'user', content: 'Hi' }];
  test.each([
    { message: 'Hi' },
    { message: 'Hi', session_id: newId('session'), stream: true, temperature: 0, metadata: { a: 'b' } },
    { messages },
    {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      ],
    },
    { messages, temperature: null, stop: ['a', 'b'], n: 1, max_tokens: 5, stream_options: { include_usage: true } },
    { messages, logit_bias: { 5: 1 }, something_new: true },
    { messages, stream: null },
    {
      messages: [
        ...messages,
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: '42' },
        { role: 'assistant' },
        { role: 'assistant', content: null, refusal: 'No.' },
        { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
      ],
    },
  ])('%j is one', (body) => {
    expect(accepts(chatRequest, body)).toBe(true);
  });

  test.each([
    {},
    { message: '' },
    { message: 5 },
    { message: 'Hi', messages },
    { messages: [] },
    { messages: 'Hi' },
    { messages: [{ role: 'robot', content: 'Hi' }] },
    { messages: [{ role: 'user' }] },
    { messages: [{ role: 'user', content: null }] },
    { messages: [{ role: 'user', content: [{ type: 'refusal', refusal: 'No.' }] }] },
    { messages: [{ role: 'user', content: [] }] },
    { messages: [{ role: 'user', content: [{ type: 'audio', data: 'x' }] }] },
    { messages, session_id: newId('session') },
    { message: 'Hi', session_id: 'x'.repeat(201) },
    { message: 'Hi', session_id: { $gt: '' } },
    { message: 'Hi', stream: 'true' },
    { message: 'Hi', temperature: 3 },
    { message: 'Hi', max_tokens: 0 },
    { message: 'Hi', max_tokens: 1.5 },
    { message: 'Hi', metadata: { a: 1 } },
    { message: 'Hi', metadata: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, 'v'])) },
    { message: 'Hi', metadata: { a: 'x'.repeat(513) } },
    { message: 'x'.repeat(1_000_001) },
    null,
    [],
    'Hi',
  ])('%j is none', (body) => {
    expect(accepts(chatRequest, body)).toBe(false);
  });

  test('is not streamed by default', () => {
    expect(chatRequest.parse({ message: 'Hi' }).stream).toBe(false);
  });
});

test('lists take a limit of 1 to 100 and no unknown fields', () => {
  expect(listQuery.parse({})).toEqual({ limit: 20 });
  expect(listQuery.parse({ limit: '100', after: 'x' })).toEqual({ limit: 100, after: 'x' });
  for (const query of [
    { limit: '0' },
    { limit: '101' },
    { limit: '1.5' },
    { limit: 'ten' },
    { limit: '' },
    { page: '2' },
  ]) {
    expect(accepts(listQuery, query)).toBe(false);
  }
  const issues = parseBounded(listQuery, { limit: ['1', '2'] }).error?.issues ?? [];
  expect(describeIssues(issues, 'query')).toEqual([
    { path: 'query.limit', message: 'must be a whole number between 1 and 100' },
  ]);
  const unknown = parseBounded(usageQuery, { group_by: 'model' }).error?.issues ?? [];
  expect(describeIssues(unknown, 'query')).toEqual([
    { path: 'query.group_by', message: 'is not a known field; allowed: from, to' },
  ]);
  expect(accepts(jobsQuery, { status: 'running', kind: 'chat.completion' })).toBe(true);
  expect(accepts(jobsQuery, { status: 'dead' })).toBe(false);
});

test('sessions accept known fields only', () => {
  expect(sessionCreate.parse({})).toEqual({ pinned: false, starred: false, temporary: false });
  expect(sessionCreate.parse({ title: '  mine  ' }).title).toBe('mine');
  expect(sessionPatch.parse({ title: null })).toEqual({ title: null });
  for (const patch of [
    {},
    { title: '' },
    { title: '   ' },
    { title: 'x'.repeat(201) },
    { pinned: 'yes' },
    { user_id: 'x' },
  ]) {
    expect(accepts(sessionPatch, patch)).toBe(false);
  }
  expect(sessionQuery.parse({ pinned: 'true', starred: 'false' })).toMatchObject({ pinned: true, starred: false });
  expect(accepts(sessionQuery, { pinned: '1' })).toBe(false);
});

test('lowercases and trims email addresses, but not passwords', () => {
  expect(loginRequest.parse({ email: ' Me@Example.COM ', password: ' secret ' })).toEqual({
    email: 'me@example.com',
    password: ' secret ',
  });
  for (const body of [{ email: 'a@b' }, { email: 'a@b', password: '' }, { email: { $ne: '' }, password: 'x' }]) {
    expect(accepts(loginRequest, body)).toBe(false);
  }
});

test('a queued job has an owner, with its scope key', () => {
  const owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };
  const job = { owner, input: {}, request_id: null, earlier_attempts: 0 };
  expect(jobData.parse(job)).toEqual(job);
  const workspace = { ...owner, scope: 'workspace', workspace_id: '01890a5d-ac96-774b-bcce-b302099a8057' };
  expect(accepts(jobData, { ...job, owner: workspace })).toBe(true);
  for (const bad of [
    { ...owner, scope: 'workspace' },
    { ...workspace, scope: 'personal' },
    { ...owner, user_id: '' },
    { ...owner, scope: 'galaxy' },
    null,
  ]) {
    expect(accepts(jobData, { ...job, owner: bad })).toBe(false);
  }
  for (const bad of [{ earlier_attempts: -1 }, { earlier_attempts: '1' }, { input: null }, { request_id: undefined }]) {
    expect(accepts(jobData, { ...job, ...bad })).toBe(false);
  }
});

test('every kind has a unique name, and other names are not kinds', () => {
  for (const [kind, job] of Object.entries(KINDS)) {
    expect(job.kind).toBe(kind);
    expect(isJobKind(kind)).toBe(true);
    if (kind.includes('.')) expect(kind.split('.')[0]).toBe(job.surface);
  }
  for (const no of ['', 'chat', 'toString', '__proto__', 'constructor']) expect(isJobKind(no)).toBe(false);
});

test("the subject of a response is the user's last message", () => {
  const said = { role: 'user' as const, content: [{ type: 'input_text' as const, text: 'Why is the sky blue?' }] };
  const output = { type: 'function_call_output' as const, call_id: 'call_1', output: '{}' };
  expect(response.subjectOf?.({ items: [said, output] })).toBe('Why is the sky blue?');
  expect(response.subjectOf?.({ items: [output] })).toBeUndefined();
});

test('roles include lower roles, and scopes are separate', () => {
  expect(roleAllows('owner', 'viewer')).toBe(true);
  expect(roleAllows('editor', 'editor')).toBe(true);
  expect(roleAllows('viewer', 'editor')).toBe(false);
  expect(roleAllows('admin', 'owner')).toBe(false);
  const id = '01890a5d-ac96-774b-bcce-b302099a8057';
  const personal = scopeKey({ scope: 'personal', user_id: id, workspace_id: null });
  expect(personal).not.toBe(scopeKey({ scope: 'workspace', user_id: 'usr_x', workspace_id: id }));
});
