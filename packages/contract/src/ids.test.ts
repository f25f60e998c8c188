import { expect, test } from 'vitest';
import { ID_PREFIXES, type IdKind, idSchema, isId, isUuid, newId } from './ids.ts';

const kinds = Object.keys(ID_PREFIXES) as IdKind[];

test.each(kinds)('a new %s id has its prefix, and is not valid for another kind', (kind) => {
  const id = newId(kind);
  expect(id).toMatch(new RegExp(`^${ID_PREFIXES[kind]}_[0-9a-z]{26}$`));
  for (const other of kinds) expect(isId(other, id)).toBe(other === kind);
  expect(idSchema(kind).safeParse(id).success).toBe(true);
});

test('ids sort by creation time', async () => {
  const ids: string[] = [];
  for (let i = 0; i < 5; i += 1) {
    ids.push(newId('job'));
    const now = Date.now();
    while (Date.now() === now) await new Promise((resolve) => setImmediate(resolve));
  }
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(5);
});

test.each([
  '',
  'job',
  'job_',
  'job_x',
  'ses_01h455vb4pex5vsknk084sn02q',
  'job_01H455VB4PEX5VSKNK084SN02Q',
  'job_01h455vb4pex5vsknk084sn02',
  'job_01h455vb4pex5vsknk084sn02qq',
  'job_81h455vb4pex5vsknk084sn02q',
  ' job_01h455vb4pex5vsknk084sn02q',
  'job_01h455vb4pex5vsknk084sn02q\n',
  'job_01h455vb4pex5vsknk084sn0$q',
  '__proto__',
  '{"$gt":""}',
])('%j is not a job id', (value) => {
  expect(isId('job', value)).toBe(false);
  expect(idSchema('job').safeParse(value).success).toBe(false);
});

test('distinguishes UUIDs from similar strings', () => {
  expect(isUuid('01890a5d-ac96-774b-bcce-b302099a8057')).toBe(true);
  expect(isUuid('01890A5D-AC96-774B-BCCE-B302099A8057')).toBe(true);
  expect(isUuid('00000000-0000-0000-0000-000000000000')).toBe(true);
  for (const no of [
    '',
    '01890a5dac96774bbcceb302099a8057',
    '{01890a5d-ac96-774b-bcce-b302099a8057}',
    `${'x'.repeat(36)}`,
  ]) {
    expect(isUuid(no)).toBe(false);
  }
  expect(isUuid('01890a5d-ac96-774b-bcce-b302099a8057\n')).toBe(false);
});
