import { describe, expect, test } from 'vitest';
import { type SplitJson, splitJson } from './split-json.ts';

function split(json: string): SplitJson {
  const steps = splitJson(Buffer.from(json));
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Puts the parts together again, parsed by JSON.parse. */
function whole(json: string): unknown {
  const { head, items } = split(json);
  const bytes = Buffer.from(json);
  return {
    ...JSON.parse(head),
    ...(items === null ? {} : { items: items.map(([begin, end]) => JSON.parse(bytes.toString('utf8', begin, end))) }),
  };
}

test.each([
  '{}',
  ' { } \n',
  '{"items":[]}',
  '{"kind":"iris.image","items":[{"body":{"prompt":"x"}},{"id":"b"}],"metadata":{"items":"not these"}}',
  '{"items" : [ 1 , "a]b,}" , null , [ [ "\\"]" ] ] , -1.5e+3 , true ] , "a" : "\\\\" }',
  '{"\\u0069tems":[1]}',
  '{"items":["\\\\\\"","é😀\\n"],"ключ":[1,{"x":"]"}]}',
])('splits %s into parts', (json) => {
  expect(whole(json)).toEqual(JSON.parse(json));
});

test('splits random objects that JSON.parse accepts', () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed % below;
  };
  const texts = ['', 'a', '"', '\\', '\\"', ']', '}', ',', ':', 'é\u2028😀', '\u0000'];
  const value = (depth: number): unknown => {
    const kind = random(depth > 4 ? 4 : 6);
    if (kind === 0) return texts.map(() => texts[random(texts.length)]).join('');
    if (kind === 1) return random(2_000) / 7 - 100;
    if (kind === 2) return [true, false, null][random(3)];
    if (kind === 3) return texts[random(texts.length)];
    const inner = Array.from({ length: random(5) }, () => value(depth + 1));
    return kind === 4
      ? inner
      : Object.fromEntries(inner.map((each, at) => [`${texts[random(texts.length)]}${at}`, each]));
  };
  for (let round = 0; round < 300; round += 1) {
    const object = { first: value(0), items: Array.from({ length: random(6) }, () => value(0)), last: value(0) };
    const json = JSON.stringify(object, null, random(3));
    expect(whole(json)).toEqual(JSON.parse(json));
  }
});

describe('refuses anything but a JSON object with a list', () => {
  test.each([
    '',
    '[]',
    'null',
    '{',
    '{"items":[',
    '{"items":[1,]}',
    '{"items":[,1]}',
    '{"items":[1 2]}',
    '{"items":{}}',
    '{"items":"x"}',
    '{"a":1,}',
    '{"a"}',
    '{"a":}',
    '{"a":1}x',
    '{"a":"',
    '{"a":1]',
    '{a:1}',
    '{"items":[1],"items":[2]}',
    '{"items":[]}{}',
  ])('%s', (json) => {
    expect(() => {
      const { head } = split(json);
      JSON.parse(head);
    }).toThrow();
  });
});

test('splits 32 MB in small steps', () => {
  const item = `{"id":"x","body":{"prompt":"${'sun '.repeat(200)}","list":[1,2,3]}}`;
  const json = Buffer.from(`{"items":[${Array.from({ length: 38_000 }, () => item).join()}],"kind":"iris.image"}`);
  expect(json.length).toBeGreaterThan(31_000_000);
  let steps = 0;
  for (const split = splitJson(json); split.next().done !== true; ) steps += 1;
  expect(steps).toBeGreaterThan(json.length / 100_000);
});
