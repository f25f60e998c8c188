import { NO_ACTOR, newId, type Owner, type Role } from '@chorus/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isScopedByCredential, servedPath } from './define-route.ts';
import { routes } from './routes/index.ts';
import { startTestApi, type TestApi } from './test-api.ts';
import { publishChatModels, publishModels } from './test-chat.ts';
import {
  boundKey,
  freshPerson,
  freshWorkspace,
  KEY_PERMISSIONS,
  PASSWORD,
  type Person,
  recordMakers,
} from './test-people.ts';
import { caseOf, NEEDED, ROUTE_CASES, type RouteCase } from './test-route-cases.ts';

const ROLES = ['viewer', 'editor', 'admin', 'owner'] as const;
const PLACES = [...ROLES, 'outsider'] as const;
type Place = (typeof PLACES)[number];
const SCOPES = ['personal', 'workspace'] as const;
/** The record's creator: the caller; another member or user; the caller in another scope. */
const MAKERS = ['self', 'other', 'elsewhere'] as const;
const CREDENTIALS = ['token', 'fullKey', 'readKey', 'boundKey'] as const;

interface Situation {
  place: Place;
  scope: (typeof SCOPES)[number];
  maker: (typeof MAKERS)[number];
  credential: (typeof CREDENTIALS)[number];
}

let api: TestApi;
let team: string;
let people: { [P in Place]: Person };
/** Keys of the members, bound to the team. */
let boundKeys: { [P in Place]?: string };
let founder: Person;
let make: ReturnType<typeof recordMakers>;

beforeAll(async () => {
  api = await startTestApi({ DEFAULT_MODEL: 'embedded/assistant' });
  await publishWorkers();
  make = recordMakers(api);
  const [one, two, three, four, five, six] = await Promise.all(Array.from({ length: 6 }, () => freshPerson(api)));
  people = { viewer: one!, editor: two!, admin: three!, owner: four!, outsider: five! };
  founder = six!;
  team = await newTeam();
  const bound = ROLES.map(async (role) => [role, await boundKey(api, people[role], team)]);
  boundKeys = Object.fromEntries(await Promise.all(bound));
});
afterAll(() => api.stop());

async function publishWorkers(): Promise<void> {
  await publishChatModels(api, ['embedded/assistant']);
  await publishModels(api, 'media', { 'embedded/canvas': ['image'], 'embedded/canvas-video': ['video'] });
  await publishModels(api, 'voice', { 'embedded/voice': ['speech', 'transcription'] });
  await publishModels(api, 'vision', { 'embedded/ocr': ['ocr'] });
}

const newTeam = () =>
  freshWorkspace(
    api,
    founder,
    ROLES.map((role) => [people[role], role]),
  );

test('has a case for every declared route, and no other', () => {
  const declared = routes.map(caseOf);
  expect(Object.keys(ROUTE_CASES).sort()).toEqual(declared.sort());
});

describe.each(Object.keys(ROUTE_CASES))('%s', (name) => {
  const kase = ROUTE_CASES[name] as RouteCase;
  const route = routes.find((route) => caseOf(route) === name);

  test('answers each role, scope, creator and credential as specified', async () => {
    if (route === undefined) throw new Error(`${name} is not served`);
    expect(route.needs).toBe(kase.needs === 'open' ? 'none' : kase.needs);
    const check = async (situation: Situation) => {
      const isScoped = isScopedByCredential(route);
      const { workspace, params } = await prepare(kase, route.method, situation);
      const path = servedPath(route).replace(/[:*](\w+)/g, (_, key: string) => params[key] ?? '');
      const answer = await api.call(route.method.toUpperCase(), path, {
        ...(kase.form ? { body: aForm() } : kase.body === undefined ? {} : { body: kase.body }),
        endless: kase.endless,
        redirect: 'manual',
        headers: { prefer: 'respond-async', ...(await headersOf(kase, situation, workspace)) },
      });
      const error = answer.body?.error;
      const code = error?.data?.code ?? error?.details?.error_code ?? error?.code;
      const outcome = `${answer.status} ${code ?? 'ok'}`;
      expect([situation, outcome]).toEqual([
        situation,
        (isScoped && wrongScope(situation)) || expected(kase, situation),
      ]);
      const person = people[situation.place];
      if (kase.uses === 'logins') person.token = await newLogin(person);
    };
    // Sequential for each person, since simultaneous password guesses slow each other down.
    const chosen = process.env.CHORUS_SOAK ? situationsOf(kase) : shareOf(situationsOf(kase), name);
    const situations = Map.groupBy(chosen, ({ place }) => place);
    await Promise.all(
      Array.from(situations.values(), async (ofPerson) => {
        for (const situation of ofPerson) await check(situation);
      }),
    );
  });
});

test('operators see all users, in any scope and with an operator key', async () => {
  const seen = await api.call('GET', '/users?limit=1');
  expect(seen.body).toMatchObject({
    data: [{ email: api.login.email, operator: true, disabled_at: null }],
    has_more: true,
  });
  const key = async (permission: string) =>
    (await api.call('POST', '/api-keys', { body: { name: 'x', permissions: [permission] } })).body.secret;
  const by = async (secret: string) =>
    Promise.all(
      [
        ['GET', '/users'],
        ['GET', '/queues'],
      ].map(
        async ([method = '', path = '']) =>
          (await api.call(method, path, { headers: { authorization: `Bearer ${secret}` } })).status,
      ),
    );
  expect(await by(await key('operator'))).toEqual([200, 200]);
  expect(await by(await key('manage'))).toEqual([403, 403]);
});

test('a key bound to a workspace reaches nothing else, not even an operator’s', async () => {
  const mine = (await api.call('POST', '/workspaces', { body: { name: 'Mine' } })).body;
  await api.call('POST', '/workspaces', { body: { name: 'Another of mine' } });
  await api.call('POST', '/api-keys', { body: { name: 'another' } });
  const make = (permissions: string[], workspace_id: string | null) =>
    api.call('POST', '/api-keys', { body: { name: 'bound', permissions, workspace_id } });
  const refused = await make(['operator'], mine.id);
  expect([refused.status, refused.body.error.details[0].path]).toEqual([400, 'body.permissions']);
  const { secret, ...shown } = (await make(KEY_PERMISSIONS, mine.id)).body;
  const headers = { authorization: `Bearer ${secret}`, 'x-scope-type': 'workspace', 'x-workspace-id': mine.id };
  const ask = async (method: string, path: string) => api.call(method, path, { headers });
  expect((await ask('GET', '/workspaces')).body.data).toEqual([mine]);
  const keys = (await ask('GET', '/api-keys')).body.data;
  expect(keys).toEqual([{ ...shown, last_used_at: expect.any(String) }]);
  expect((await ask('GET', '/users')).status).toBe(403);
  expect((await ask('GET', '/queues')).status).toBe(403);
  const personal = { ...headers, 'x-scope-type': 'personal', 'x-workspace-id': null };
  for (const path of ['/me', '/workspaces', '/api-keys', '/usage', '/audit', '/jobs'])
    expect((await api.call('GET', path, { headers: personal })).status, path).toBe(403);
});

test('only operators can create operator keys', async () => {
  const { token } = await freshPerson(api);
  const headers = { authorization: `Bearer ${token}` };
  const made = await api.call('POST', '/api-keys', { body: { name: 'x', permissions: ['operator'] }, headers });
  expect([made.status, made.body.error.details]).toEqual([
    400,
    [{ path: 'body.permissions', message: 'operator is only available to operators' }],
  ]);
});

function aForm(): FormData {
  const form = new FormData();
  form.set('file', new Blob(['some words']), 'words.txt');
  return form;
}

function situationsOf(kase: RouteCase): Situation[] {
  if (kase.needs === 'open') return [{ place: 'outsider', scope: 'personal', maker: 'self', credential: 'token' }];
  const makers = kase.record !== undefined || kase.path !== undefined ? MAKERS : (['self'] as const);
  return PLACES.flatMap((place) =>
    SCOPES.flatMap((scope) =>
      makers.flatMap((maker) =>
        // A key's rights don't depend on the record's creator, and only members have keys for the workspace.
        CREDENTIALS.filter(
          (credential) =>
            (maker === 'self' || credential === 'token') && !(credential === 'boundKey' && place === 'outsider'),
        ).map((credential) => ({
          place,
          scope,
          maker,
          credential,
        })),
      ),
    ),
  );
}

/**
 * A sixth of the situations, and those of every member's token on their own records in the workspace. The sixth
 * differs from route to route, so that together they cover each combination many times.
 */
function shareOf(situations: Situation[], name: string): Situation[] {
  const shift = Object.keys(ROUTE_CASES).indexOf(name);
  return situations.filter(
    ({ scope, maker, credential }, at) =>
      (at + shift) % 6 === 0 || (scope === 'workspace' && maker === 'self' && credential === 'token'),
  );
}

/** On OpenAI's surface and for MCP, an API key decides the scope. */
function wrongScope({ scope, credential }: Situation): string | null {
  if (credential === 'token') return null;
  return (credential === 'boundKey') === (scope === 'workspace') ? null : '422 invalid_scope';
}

/** The contract in a few lines. */
function expected(kase: RouteCase, { place, scope, maker, credential }: Situation): string {
  if (kase.needs === 'open') return kase.answers ?? '200 ok';
  if (credential === 'boundKey' && scope === 'personal') return '403 forbidden';
  if (scope === 'workspace' && place === 'outsider') return '403 workspace_forbidden';
  if (kase.path && (place === 'outsider' || maker !== 'self')) return '404 not_found';
  const { role: least, permission } = NEEDED[kase.needs];
  const permissions: readonly string[] = {
    token: [permission],
    fullKey: KEY_PERMISSIONS,
    boundKey: KEY_PERMISSIONS,
    readKey: ['read'],
  }[credential] as string[];
  if (credential !== 'token' && (permission === null || !permissions.includes(permission))) return '403 forbidden';
  if (kase.needs === 'operate') return '403 forbidden'; // none of these users is an operator
  const role = scope === 'personal' && !kase.path ? 'owner' : (place as Role);
  if (ROLES.indexOf(role) < ROLES.indexOf(least)) return '403 role_forbidden';
  const success = kase.answers ?? '200 ok';
  if (kase.record === undefined || maker === 'self') return success;
  const { seenBy } = kase.record;
  if (maker === 'elsewhere') return seenBy === 'user' ? success : '404 not_found';
  if (scope === 'personal' || seenBy !== 'members') return '404 not_found';
  return kase.changes && role === 'editor' ? '403 role_forbidden' : success;
}

async function headersOf(kase: RouteCase, { place, scope, credential }: Situation, workspace: string) {
  if (kase.needs === 'open') return { authorization: null, 'x-scope-type': null };
  const person = people[place];
  const secret =
    kase.uses === 'login' && credential === 'token'
      ? await newLogin(person)
      : await secretOf(place, credential, workspace);
  return {
    // Keys work in both headers.
    ...(credential === 'readKey'
      ? { authorization: null, 'x-api-key': secret }
      : { authorization: `Bearer ${secret}` }),
    'x-scope-type': scope,
    ...(scope === 'workspace' ? { 'x-workspace-id': workspace } : {}),
  };
}

async function secretOf(place: Place, credential: Situation['credential'], workspace: string): Promise<string> {
  if (credential !== 'boundKey') return people[place][credential];
  return (workspace === team && boundKeys[place]) || boundKey(api, people[place], workspace);
}

async function newLogin({ email }: Person): Promise<string> {
  const credentials = { email, password: PASSWORD };
  return (await api.services.accounts.login(credentials, { address: '127.0.0.1' })).access_token;
}

/** Records for reading and refused calls don't change, so all cells share them. */
const shared = new Map<string, Promise<string>>();

/** Creates the record that the path names. For routes of a workspace, the record is the workspace. */
async function prepare(kase: RouteCase, method: string, situation: Situation) {
  const { place, scope, maker } = situation;
  const isChanged = method !== 'get' && expected(kase, situation) === '200 ok';
  const take = async (name: string, makeOne: () => Promise<string>): Promise<string> => {
    if (isChanged) return makeOne();
    const found = shared.get(name) ?? makeOne();
    shared.set(name, found);
    return found;
  };
  const workspace = kase.uses === 'workspace' && isChanged ? await newTeam() : team;
  const person = people[place];
  const params: { [name: string]: string } = kase.model === undefined ? {} : { model: kase.model };
  if (kase.provider !== undefined) params.provider = kase.provider;
  if (kase.record !== undefined) {
    const { made, as } = kase.record;
    const maker_id = maker === 'other' ? founder.id : person.id;
    const personal = (scope === 'personal') === (maker !== 'elsewhere');
    const owner: Owner = personal
      ? { scope: 'personal', user_id: maker_id, workspace_id: null }
      : { scope: 'workspace', user_id: maker_id, workspace_id: workspace };
    params[as] = await take(`${made} of ${maker_id} in ${owner.workspace_id}`, () => make[made](owner));
  }
  if (kase.path !== undefined) {
    const named =
      maker === 'self' ? workspace : await take('another workspace', () => freshWorkspace(api, founder, []));
    params.workspace_id = named;
    if (kase.path.includes('member')) params.user_id = await take(`member of ${named}`, () => newMember(named));
    if (kase.path.includes('invitation'))
      params.invitation_id = await take(`invitation to ${named}`, () => newInvitation(named));
  }
  return { workspace, params };
}

async function newMember(workspace: string): Promise<string> {
  const id = newId('user');
  const { users, workspaces } = api.services.database;
  const { id: member } = await users.create({ email: `${id}@example.com`, password_hash: 'x', operator: false });
  await workspaces.addMember(workspace, member, 'viewer');
  return member;
}

async function newInvitation(workspace: string): Promise<string> {
  const wanted = { email: `${newId('user')}@example.com`, role: 'viewer', expires_in_s: 60 } as const;
  return (
    await api.services.accounts.invitations.create(NO_ACTOR, workspace, { role: 'owner', operator: false }, wanted)
  ).id;
}
